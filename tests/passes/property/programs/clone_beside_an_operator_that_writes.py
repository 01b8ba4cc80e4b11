# best copies more bytes than torch-v1
class GraphModule(torch.nn.Module):
    def forward(self, x0: "f32[2, 1, 1][1, 1, 1]cpu"):
        # No stacktrace found for following nodes
        slice_1: "f32[1, 1, 1][1, 1, 1]cpu" = torch.ops.aten.slice.Tensor(x0, 0, None, 1)
        slice_2: "f32[0, 1, 1][1, 1, 1]cpu" = torch.ops.aten.slice.Tensor(x0, 0, 2, None)
        slice_1 += slice_1;  iadd = slice_1;  slice_1 = iadd = None
        clone: "f32[2, 1, 1][1, 1, 1]cpu" = torch.ops.aten.clone.default(x0);  x0 = None
        select: "f32[1, 1][1, 1]cpu" = torch.ops.aten.select.int(clone, 0, 0);  clone = None
        return (slice_2, select)
   44279  torch-v1 says ALIASED_READ, differs
   49116  torch-v1 says ALIASED_READ, gives the same here
      27  torch-v1 says FP_STRICT, gives the same here
       5  torch-v1 says LAYOUT_STALE, differs
       1  torch-v1 says LAYOUT_STALE, gives the same here
      69  torch-v1 says OUTPUT_ALIAS, differs
      82  torch-v1 says OUTPUT_ALIAS, gives the same here
   40509  torch-v1 says OVERLAPPING_WRITES, differs
   15842  torch-v1 says OVERLAPPING_WRITES, gives the same here
     193  torch-v1 says RI20, gives the same here
      65  torch-v1 says RI22, differs
      10  torch-v1 says RI22, gives the same here
      34  torch-v1 says RI30.COPY, differs
      66  torch-v1 says RI30.COPY, gives the same here
       1  torch-v1 says RI30.READ, differs
       1  torch-v1 says RI30.READ, gives the same here
       3  torch-v1 says RI30.SCATTER, differs
     221  torch-v1 says RI30.SCATTER, gives the same here
      27  torch-v1 says RI31, differs
    7029  torch-v1 says RI31, gives the same here
     629  torch-v1 says RI51, differs
      83  torch-v1 says RI51, gives the same here
       1  torch-v1 says SLICE_START_OFFSET, differs
       1  torch-v1 says SLICE_START_OFFSET, gives the same here
   52852  torch-v2 says ALIASED_READ, differs
   71886  torch-v2 says ALIASED_READ, gives the same here
      29  torch-v2 says FP_STRICT, gives the same here
       4  torch-v2 says LAYOUT_STALE, differs
      71  torch-v2 says OUTPUT_ALIAS, differs
      82  torch-v2 says OUTPUT_ALIAS, gives the same here
     201  torch-v2 says RI20, gives the same here
      50  torch-v2 says RI30.COPY, differs
      14  torch-v2 says RI30.COPY, gives the same here
       2  torch-v2 says RI30.READ, differs
       1  torch-v2 says RI30.READ, gives the same here
       3  torch-v2 says RI30.SCATTER, gives the same here
      37  torch-v2 says RI31, differs
    7342  torch-v2 says RI31, gives the same here
     840  torch-v2 says RI51, differs
     138  torch-v2 says RI51, gives the same here
       6  torch-v2 says SLICE_START_OFFSET, differs
       4  torch-v2 says SLICE_START_OFFSET, gives the same here
       1  FAILED best copies more bytes than torch-v1
seeds 90000001 to 90610000: 508936 programs in 1470.7 s (101064 more that PyTorch refuses), best copies fewer bytes than torch-v2 in 185908 and than torch-v1 in 266519, 16590196 B against 29591752 B of torch-v2 altogether, 1 failures
