// libFuzzer target: zip archives, tars and gzip streams; the first byte chooses.

#include <cstddef>
#include <cstdint>
#include <string>

#include "core/text/document_parts.h"
#include "core/text/member_source.h"

using namespace aliascope;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size == 0) return 0;
    std::string bytes(reinterpret_cast<const char*>(data + 1), size - 1);
    ReadOptions options;
    options.limits.fileBytes = options.limits.recordBytes = options.limits.archiveBytes = 64u << 20;
    const ReadContext context{OpRegistry::builtin(), options};
    if (data[0] % 3 == 0) {
        if (auto zip = openZip(std::move(bytes), "fuzz", options.limits)) static_cast<void>(readArchive(**zip, "fuzz", context));
    } else if (data[0] % 3 == 1) {
        if (auto tar = openTar(std::move(bytes), "fuzz", options.limits)) static_cast<void>(readFolder(**tar, "fuzz", context));
    } else {
        static_cast<void>(gunzip(bytes, "fuzz", options.limits));
    }
    return 0;
}
