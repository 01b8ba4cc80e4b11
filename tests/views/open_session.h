#pragma once
// What tests of panels share: bundled samples, and waiting until nothing runs.

#include <QCoreApplication>
#include <QTest>

#include "views/models/sample_list.h"
#include "views/session/session.h"

namespace aliascope {

inline OpenRequest sampleRequest(const char* file, const char* pipeline) {
    for (const Sample& sample : bundledSamples()) {
        if (sample.file != QLatin1String(file)) continue;
        OpenRequest request = sample.request();
        request.pipeline = QLatin1String(pipeline);
        return request;
    }
    return {};
}

/// Answers may bring further questions: settled is when a turn of the loop after the last answer finds nothing running.
inline bool settled(Session& session) {
    for (int quiet = 0; quiet < 2; ++quiet) {
        if (!QTest::qWaitFor([&] { return !session.jobs().busy(); }, 120'000)) return false;
        QCoreApplication::processEvents();
    }
    return QTest::qWaitFor([&] { return !session.jobs().busy(); }, 120'000);
}

}  // namespace aliascope
