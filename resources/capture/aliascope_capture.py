"""Writes what torch.compile makes of a program, stage by stage, as files that Aliascope opens.

    import aliascope_capture
    aliascope_capture.start("dumps")
    torch.compile(model)(x)

Then: aliascope list dumps, or drop the folder on the window. `stop()` ends the capture; `with aliascope_capture.to("dumps"):` does both.

Each stage is one file of readable Python with shapes, strides and devices, in a folder named after its compilation (frame, frame compile, attempt;
under rank_R when torch.distributed runs). Stages are what PyTorch's public custom-pass points see:

    before_pre_grad_graph                            torch functions, as Dynamo traced them   (pre_grad_custom_pass)
    joint_graph_before_passes, ..._after_passes      forward and backward in one, ATen        (joint_custom_pre_pass, joint_custom_post_pass)
    forward_graph_, backward_graph_ and
    inference_graph_before_post_grad, ..._after_...  what Inductor gets and what it lowers    (post_grad_custom_pre_pass, post_grad_custom_post_pass)

Inductor writes in place (re-inplacing, decomposition of auto_functionalized) after the last of these points; TORCH_TRACE has that stage.

For PyTorch 2.2 to 2.11: points that a version lacks are left out and named by start(). No graph is changed. Passes that you set yourself still run:
a file "before" is written before them, a file "after" behind them. Compiled code that comes out of a cache passes none of these points, so start()
turns Inductor's and AOTAutograd's caches off until stop(). A failure to write is a warning, never an error of the compilation.
"""

import contextlib
import itertools
import os
import re
import warnings

import torch
import torch._inductor.config as inductor_config

__all__ = ["start", "stop", "to"]

_saved = []  # (module, name, value) of every setting that start() changed
_CACHES = [("torch._inductor.config", "force_disable_caches", True), ("torch._inductor.config", "fx_graph_cache", False),
           ("torch._functorch.config", "enable_autograd_cache", False)]


def _folder_of_compilation(root):
    """root[/rank_R]/FRAME_COMPILE_ATTEMPT: the names that Aliascope groups by."""
    parts = [root]
    if torch.distributed.is_available() and torch.distributed.is_initialized():
        parts.append("rank_%d" % torch.distributed.get_rank())
    name = "unknown_0"
    with contextlib.suppress(Exception):
        from torch._guards import CompileContext
        trace = CompileContext.current_trace_id()  # "0/0", "0/0_1" for attempt 1, "!2/0/0" under compiled autograd
        if trace is not None:
            compile_id, _, attempt = str(trace).partition("_")
            name = "_".join(re.findall(r"\d+", compile_id) + [attempt or "0"])
    return os.path.join(*parts, name)


def _has_input(graph, prefix):
    return any(node.op == "placeholder" and node.name.startswith(prefix) for node in graph.nodes)


# AOTAutograd names the inputs of training graphs primals_N and tangents_N, those of inference graphs otherwise.
def _joint_kind(graph):
    return "joint" if _has_input(graph, "tangents_") else "inference"


def _post_grad_kind(graph):
    return "backward" if _has_input(graph, "tangents_") else "forward" if _has_input(graph, "primals_") else "inference"


def _values(graph):
    for node in graph.nodes:
        value = node.meta.get("val", node.meta.get("example_value"))
        if value is not None:
            yield node, value


def _head(graph):
    """Lines before the class: hints of symbols, and inputs that share a storage."""
    hints, storages = {}, {}
    for node, value in _values(graph):
        if not isinstance(value, torch.Tensor):
            continue
        for size in value.shape:
            with contextlib.suppress(Exception):  # an unbacked size has no hint
                if isinstance(size, torch.SymInt) and str(size).isidentifier():
                    hints[str(size)] = int(size.node.hint)
        if node.op == "placeholder":
            with contextlib.suppress(Exception):  # not every tensor subclass has a storage
                storages.setdefault(value.untyped_storage()._cdata, []).append(node.name)
    lines = ["%s = %d" % item for item in sorted(hints.items())]
    lines += ["# inputs on one storage: " + ", ".join(names) for names in storages.values() if len(names) > 1]
    return "".join(line + "\n" for line in ["# torch version: " + torch.__version__] + lines)


def _readable(graph):
    module = graph.owning_module
    try:
        return module.print_readable(print_output=False, include_stride=True, include_device=True)
    except TypeError:  # before 2.5
        return module.print_readable(print_output=False)


def _writer(root, counter, stage):
    def write(graph):
        try:
            folder = _folder_of_compilation(root)
            os.makedirs(folder, exist_ok=True)
            path = os.path.join(folder, "%s_%d.py" % (stage(graph), next(counter)))
            with open(path, "w", encoding="utf-8") as file:
                file.write(_head(graph) + "\n" + _readable(graph))
        except Exception as e:  # whatever it is, the user's compilation goes on
            warnings.warn("aliascope_capture: a stage was not written: %s: %s" % (type(e).__name__, e))
    return write


def _chained(first, second):
    def run(graph):
        for custom_pass in (first, second):
            if custom_pass is not None:
                custom_pass(graph)
    return run


def _set(module, name, value):
    _saved.append((module, name, getattr(module, name)))
    setattr(module, name, value)


def start(folder):
    """Captures every compilation from now on into `folder`, which is made. Returns the custom-pass points that this PyTorch lacks."""
    stop()
    counter = itertools.count()
    points = [("pre_grad_custom_pass", lambda g: "before_pre_grad_graph", True),
              ("joint_custom_pre_pass", lambda g: _joint_kind(g) + "_graph_before_passes", True),
              ("joint_custom_post_pass", lambda g: _joint_kind(g) + "_graph_after_passes", False),
              ("post_grad_custom_pre_pass", lambda g: _post_grad_kind(g) + "_graph_before_post_grad", True),
              ("post_grad_custom_post_pass", lambda g: _post_grad_kind(g) + "_graph_after_post_grad", False)]
    missing = []
    for name, stage, before in points:
        if not hasattr(inductor_config, name):
            missing.append(name)
            continue
        write, own = _writer(os.fspath(folder), counter, stage), getattr(inductor_config, name)
        _set(inductor_config, name, _chained(write, own) if before else _chained(own, write))
    import importlib
    for module_name, name, value in _CACHES:
        with contextlib.suppress(ImportError):
            module = importlib.import_module(module_name)
            if hasattr(module, name):
                _set(module, name, value)
    return missing


def stop():
    """Gives back all settings as they were before start()."""
    while _saved:
        module, name, value = _saved.pop()
        setattr(module, name, value)


@contextlib.contextmanager
def to(folder):
    start(folder)
    try:
        yield
    finally:
        stop()
