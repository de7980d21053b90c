"""A WSGI application that serves ROOT.

As a program, Flask's own server: python flask_files.py PORT [CERTIFICATE KEY]
"""

import os
import sys

from flask import Flask, send_from_directory

app = Flask(__name__, static_folder=None)


@app.route("/<path:path>")
def file(path):
    return send_from_directory(os.environ["ROOT"], path)


if __name__ == "__main__":
    port, *pair = sys.argv[1:]
    app.run("127.0.0.1", int(port), threaded=True, ssl_context=tuple(pair) or None)
