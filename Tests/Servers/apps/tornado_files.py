"""python tornado_files.py ROOT PORT [CERTIFICATE KEY]"""

import asyncio
import sys

from tornado.web import Application, StaticFileHandler


async def main(root, port, *pair):
    options = {"certfile": pair[0], "keyfile": pair[1]} if pair else None
    application = Application([(r"/(.*)", StaticFileHandler, {"path": root})])
    application.listen(int(port), "127.0.0.1", ssl_options=options)
    await asyncio.Event().wait()


asyncio.run(main(*sys.argv[1:]))
