"""An ASGI application that serves ROOT."""

import os

from starlette.applications import Starlette
from starlette.routing import Mount
from starlette.staticfiles import StaticFiles

app = Starlette(routes=[Mount("/", StaticFiles(directory=os.environ["ROOT"]))])
