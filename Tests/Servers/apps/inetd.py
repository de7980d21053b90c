"""Runs COMMAND for each connection, with it as input and output: python inetd.py PORT COMMAND..."""

import socketserver
import subprocess
import sys


class Connection(socketserver.BaseRequestHandler):
    def handle(self):
        subprocess.run(sys.argv[2:], stdin=self.request, stdout=self.request, check=False)


class Inetd(socketserver.ThreadingTCPServer):
    allow_reuse_address = True
    request_queue_size = 128
    daemon_threads = True


Inetd(("127.0.0.1", int(sys.argv[1])), Connection).serve_forever()
