"""A WSGI application that serves ROOT, and as a program Django's runserver: python django_files.py runserver ..."""

import os
import sys

from django.conf import settings
from django.core.management import execute_from_command_line
from django.core.wsgi import get_wsgi_application
from django.urls import re_path
from django.views.static import serve

settings.configure(DEBUG=True, SECRET_KEY="test", ROOT_URLCONF=__name__, ALLOWED_HOSTS=["*"], WSGI_APPLICATION=None)
urlpatterns = [re_path(r"^(?P<path>.*)$", serve, {"document_root": os.environ["ROOT"], "show_indexes": True})]

if __name__ == "__main__":
    execute_from_command_line(sys.argv)
else:
    app = get_wsgi_application()
