#pragma once
// Runs the program as its users do and takes what it says.

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QProcess>
#include <QStringList>

namespace aliascope::testing {

struct Answer {
    int exit = -1;  ///< -1: it crashed, or did not end within two minutes
    QString out, err;
    QJsonObject json() const { return QJsonDocument::fromJson(out.toUtf8()).object(); }
    const QJsonObject result() const { return json()["result"].toObject(); }
    QJsonArray rows(const char* key) const { return result()[key].toArray(); }
};

/// `input` is its standard input; `environment`: `NAME=VALUE`, added to that of the test; `folder`: where it runs.
inline Answer runProgram(const QStringList& words, const QByteArray& input = {}, const QStringList& environment = {}, const QString& folder = {}) {
    QProcess process;
    QProcessEnvironment env = QProcessEnvironment::systemEnvironment();
    for (const QString& pair : environment) env.insert(pair.section('=', 0, 0), pair.section('=', 1));
    process.setProcessEnvironment(env);
    if (!folder.isEmpty()) process.setWorkingDirectory(folder);
    process.start(ALIASCOPE_PROGRAM, words);
    process.write(input);
    process.closeWriteChannel();
    Answer answer;
    if (!process.waitForFinished(120'000)) return answer;
    answer.exit = process.exitStatus() == QProcess::NormalExit ? process.exitCode() : -1;
    answer.out = QString::fromUtf8(process.readAllStandardOutput());
    answer.err = QString::fromUtf8(process.readAllStandardError());
    return answer;
}

}  // namespace aliascope::testing
