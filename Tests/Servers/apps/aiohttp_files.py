"""python aiohttp_files.py ROOT PORT [CERTIFICATE KEY]"""

import ssl
import sys

from aiohttp import web

root, port, *pair = sys.argv[1:]
context = None
if pair:
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(*pair)
application = web.Application()
application.add_routes([web.static("/", root, show_index=True)])
web.run_app(application, host="127.0.0.1", port=int(port), ssl_context=context)
