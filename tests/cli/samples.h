#pragma once
// Samples and questions that tests of the program share.

#include <QFile>

#include "tests/cli/program.h"

namespace aliascope::testing {

inline const QString source = QStringLiteral(ALIASCOPE_SOURCE_DIR);
inline const QString samples = source + "/sample_graphs/";
inline const QString kv = samples + "kv_cache_layers.py";

inline Answer ask(const QStringList& words, const QByteArray& input = {}, const QStringList& environment = {}) {
    return runProgram(words, input, QStringList{"ALIASCOPE_SAMPLES=" + samples} + environment);
}

inline QByteArray contents(const QString& path) {
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

}  // namespace aliascope::testing
