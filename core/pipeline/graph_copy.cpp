#include "core/pipeline/graph_copy.h"

namespace aliascope {

Node withoutOperands(const Node& n) {
    Node copy;
    copy.kind = n.kind;
    copy.flags = n.flags;
    copy.trust = n.trust;
    copy.provenance = n.provenance;
    copy.name = n.name;
    copy.target = n.target;
    copy.op = n.op;
    copy.annotation = n.annotation;
    copy.modulePath = n.modulePath;
    copy.type = n.type;
    copy.meta = n.meta;
    copy.spanBegin = n.spanBegin;
    copy.spanEnd = n.spanEnd;
    return copy;
}

}  // namespace aliascope
