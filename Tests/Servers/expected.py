"""Refusals that are right, by server and case: the reason, and words that the message must have.

Any other refusal fails the run.
"""

EXPECTED = {
    ("nghttpd", "sizes"): ("nghttpd speaks HTTP/2 only, which segdl speaks over https alone", "HTTP/2"),
    ("mini_httpd", "mirror"): ("it serves no directory with a '#' in its name", "hash%23dir"),
    ("micro_httpd", "mirror"): ("it serves no directory with a '#' in its name", "hash%23dir"),
}
