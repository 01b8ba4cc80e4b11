// The layers of architecture.md 2, read from the includes of every source file.

#include <QDirIterator>
#include <QFile>
#include <QRegularExpression>
#include <QTest>

namespace {

struct Source {
    QString path;  ///< from the root of the project
    QStringList includes;
    QString text;
};

QList<Source> sourcesBelow(const QString& folder) {
    static const QRegularExpression include(QStringLiteral("^\\s*#\\s*include\\s*[<\"]([^>\"]+)[>\"]"), QRegularExpression::MultilineOption);
    QList<Source> out;
    const QDir root(QStringLiteral(ALIASCOPE_SOURCE_DIR));
    QDirIterator it(root.filePath(folder), {"*.h", "*.cpp", "*.cu", "*.cuh"}, QDir::Files, QDirIterator::Subdirectories);
    while (it.hasNext()) {
        QFile file(it.next());
        if (!file.open(QIODevice::ReadOnly)) continue;
        Source source{root.relativeFilePath(file.fileName()), {}, QString::fromUtf8(file.readAll())};
        auto match = include.globalMatch(source.text);
        while (match.hasNext()) source.includes << match.next().captured(1);
        out << source;
    }
    return out;
}

/// Includes of `sources` that match `pattern`, outside the folders of `allowed`.
QStringList offenders(const QList<Source>& sources, const QString& pattern, const QStringList& allowed = {}) {
    const QRegularExpression wanted(pattern);
    QStringList out;
    for (const Source& source : sources) {
        if (std::any_of(allowed.begin(), allowed.end(), [&](const QString& a) { return source.path.startsWith(a) || source.path.endsWith(a); }))
            continue;
        for (const QString& header : source.includes)
            if (wanted.match(header).hasMatch()) out << source.path + " includes " + header;
    }
    return out;
}

}  // namespace

class TestLayering : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() {
        core_ = sourcesBelow("core");
        cli_ = sourcesBelow("app/cli");
        views_ = sourcesBelow("views") + sourcesBelow("app/gui");
        QVERIFY(core_.size() > 20);
        QVERIFY(cli_.size() > 5);
    }

    void noQtBelowCoreAndCli() { check(offenders(core_ + cli_, "^(Q[A-Z]|Qt)")); }
    void sqliteOnlyInRecording() { check(offenders(core_ + cli_ + views_, "sqlite", {"core/recording/"})); }
    void graphvizOnlyInLayout() { check(offenders(core_ + cli_ + views_, "^(graphviz/|gvc\\.h|cgraph\\.h)", {"core/layout/"})); }
    void cudaOnlyInItsModule() { check(offenders(core_ + cli_ + views_, "^(cuda|cublas|cudnn|nccl|nvrtc)", {"core/exec/cuda/", ".cu", ".cuh"})); }

    void passesKnowNeitherRecorderNorExecutor() { check(offenders(below("core/passes/"), "core/(recording|exec|memory|report)/")); }
    void viewsCallNoPass() { check(offenders(views_, "core/passes/")); }
    void coreKnowsNeitherViewsNorApps() { check(offenders(core_, "^(views|app)/")); }
    void cliKnowsNoViews() { check(offenders(cli_, "^(views|app/gui)/")); }

    void lowerFoldersOfCore_data() {
        QTest::addColumn<QString>("folder");
        QTest::addColumn<QString>("above");
        QTest::newRow("support") << "core/support/"
                                 << "core/(ir|ops|analysis|text|pipeline|patterns|passes|recording|layout)/";
        QTest::newRow("ir") << "core/ir/"
                            << "core/(ops|analysis|text|pipeline|patterns|passes|recording|layout)/";
        QTest::newRow("ops") << "core/ops/"
                             << "core/(analysis|text|pipeline|patterns|passes|recording|layout)/";
        QTest::newRow("analysis") << "core/analysis/"
                                  << "core/(text|pipeline|passes|recording|layout)/";
        QTest::newRow("text") << "core/text/"
                              << "core/(analysis|pipeline|passes|recording|layout)/";
        QTest::newRow("patterns") << "core/patterns/"
                                  << "core/(text|analysis|pipeline|passes|exec|recording|layout)/";
        QTest::newRow("pipeline") << "core/pipeline/"
                                  << "core/(text|passes|recording|layout)/";
        QTest::newRow("layout") << "core/layout/"
                                << "core/(ir|ops|analysis|text|pipeline|passes|recording)/";
    }
    void lowerFoldersOfCore() {
        QFETCH(QString, folder);
        QFETCH(QString, above);
        check(offenders(below(folder), above));
    }

    void everyPassHasItsFiles() {
        QFile list(QStringLiteral(ALIASCOPE_SOURCE_DIR "/core/passes/CMakeLists.txt"));
        QVERIFY(list.open(QIODevice::ReadOnly));
        const QString text = QString::fromUtf8(list.readAll());
        const QString names = text.section("set(ALIASCOPE_PASSES", 1).section(')', 0, 0);
        const QStringList passes = names.split(QRegularExpression("\\s+"), Qt::SkipEmptyParts);
        QVERIFY(passes.size() >= 6);
        for (QString pass : passes) {
            const QString file = QStringLiteral(ALIASCOPE_SOURCE_DIR "/core/passes/") + pass.replace('-', '_');
            QVERIFY2(QFile::exists(file + ".cpp"), qPrintable(file + ".cpp"));
            QVERIFY2(QFile::exists(file + ".h"), qPrintable(file + ".h"));
        }
    }

private:
    QList<Source> below(const QString& folder) const {
        QList<Source> out;
        std::copy_if(core_.begin(), core_.end(), std::back_inserter(out), [&](const Source& s) { return s.path.startsWith(folder); });
        return out;
    }
    static void check(const QStringList& found) { QVERIFY2(found.isEmpty(), qPrintable(found.join("; "))); }

    QList<Source> core_, cli_, views_;
};

QTEST_APPLESS_MAIN(TestLayering)
#include "tst_layering.moc"
