"""python twisted_files.py ROOT PORT MODE USER PASSWORD [CERTIFICATE KEY]"""

import sys

from twisted.cred.checkers import InMemoryUsernamePasswordDatabaseDontUse
from twisted.cred.portal import IRealm, Portal
from twisted.internet import endpoints, reactor
from twisted.web.guard import BasicCredentialFactory, DigestCredentialFactory, HTTPAuthSessionWrapper
from twisted.web.resource import IResource
from twisted.web.server import Site
from twisted.web.static import File
from zope.interface import implementer

root, port, mode, user, password, *pair = sys.argv[1:]


@implementer(IRealm)
class Realm:
    def requestAvatar(self, name, mind, *interfaces):
        return IResource, File(root), lambda: None


resource = File(root)
if mode in ("basic", "digest"):
    kinds = {"basic": BasicCredentialFactory(b"files"), "digest": DigestCredentialFactory(b"md5", b"files")}
    checker = InMemoryUsernamePasswordDatabaseDontUse(**{user: password.encode()})
    resource = HTTPAuthSessionWrapper(Portal(Realm(), [checker]), [kinds[mode]])
kind = f"ssl:{port}:certKey={pair[0]}:privateKey={pair[1]}" if pair else f"tcp:{port}"
where = f"{kind}:interface=127.0.0.1"
endpoints.serverFromString(reactor, where).listen(Site(resource))
reactor.run()
