#pragma once
// What the tests of core/text share: files of tests/data/text, and reading without type inference where types are not the matter.

#include <QDir>
#include <QFile>
#include <QString>
#include <QStringList>
#include <string>

#include "core/text/document.h"

namespace fixture {

inline QString folder() { return QStringLiteral(ALIASCOPE_SOURCE_DIR "/tests/data/text"); }

inline std::string file(const QString& name) {
    QFile f(folder() + "/" + name);
    return f.open(QIODevice::ReadOnly) ? f.readAll().toStdString() : std::string();
}

inline QStringList files(const QString& pattern) { return QDir(folder()).entryList({pattern}, QDir::Files, QDir::Name); }

inline aliascope::Result<aliascope::Document> read(const std::string& text, bool infer = false) {
    aliascope::ReadOptions options;
    options.inferTypes = infer;
    return aliascope::readText(text, "test.txt", aliascope::OpRegistry::builtin(), options);
}

/// The diagnostics of a unit by code: `R012 R020`.
inline QString codes(const aliascope::Unit& unit) {
    QStringList out;
    for (const auto& d : unit.diagnostics) out << QString::fromStdString(d.code);
    return out.join(' ');
}

/// Lines without blanks at their ends, without empty lines at the end: what no printer of PyTorch promises.
inline QString comparable(const std::string& text) {
    QStringList lines = QString::fromStdString(text).split('\n');
    for (QString& line : lines)
        while (line.endsWith(' ')) line.chop(1);
    while (!lines.isEmpty() && lines.last().isEmpty()) lines.removeLast();
    return lines.join('\n');
}

}  // namespace fixture
