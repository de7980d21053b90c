"""The promises that can be switched on in the checks once the command keeps them."""

# A changed byte of a part file is found between two runs also without `--checksum`, by digests of its extents.
FINDS_CHANGED_BYTES = True

# A file that is there already, complete, counts as done: status 0 also with `--if-exists fail`.
COMPLETE_IS_DONE = False
