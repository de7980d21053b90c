"""The envelope of a call and of its answer: ids, batches, system.multicall, HTTP statuses."""

import rpc
from outcome import Cases, holds, same

cases = Cases()


@cases("an id comes back as it came, whatever its type")
def ids(it):
    for identity in ("a", "", 0, -1, 7, None, True, {"a": [1]}, [1, "b"], "ü\u2028\"\\"):
        request = it.request("getSessionInfo", identity=identity)
        for way in ("POST", "WebSocket"):
            body = it.ways[way](request).body
            same(body["id"], identity, f"id over {way}")
            same(body["jsonrpc"], "2.0", "jsonrpc")
            same(sorted(body), ["id", "jsonrpc", "result"], "members")


@cases("the member jsonrpc is not looked at, and other members neither")
def version(it):
    for value in (2, "1.0", None, []):
        answer = it.post({**it.request("getVersion"), "jsonrpc": value, "more": {}})
        same((answer.status, answer.body["jsonrpc"]), (200, "2.0"), f"jsonrpc: {value}")


@cases("without an id or a method, and with one that is not a text: -32600 with 400")
def invalid_request(it):
    for request, identity in (
            ({"method": "aria2.getVersion", "params": [it.token]}, None), ({"id": "a"}, "a"),
            ({"id": "a", "method": 5}, "a"), ({}, None), ({"id": 3, "method": None}, 3)):
        answer = it.post(request)
        it.refused(answer, "Invalid Request.", -32600)
        same(answer.body["id"], identity, "id")
        same(it.over_websocket(request).code, -32600, "code over a WebSocket")


@cases("params that are not an array: -32602 with 500")
def invalid_params(it):
    for params in ({"gid": "1"}, None, "x", 5):
        request = {"id": "a", "method": "aria2.getVersion", "params": params}
        it.refused(it.post(request), "Invalid params.", -32602, 500)
        same(it.over_websocket(request).code, -32602, "code over a WebSocket")


@cases("text that is not JSON: -32700 with 500, and the id null")
def parse_error(it):
    for text in (b"{nope", b"", b"5", b"{", b"[1", b'{"id":1', b"\xff\xfe", b'{"id":"a" "method":"b"}'):
        answer = it.post(text)
        it.refused(answer, "Parse error.", -32700, 500)
        same(answer.body["id"], None, f"id of {text}")
    with it.websocket() as socket:
        socket.send(b"{nope")
        same(socket.answer()["error"]["code"], -32700, "code over a WebSocket")
        same(socket.ask(it.request("getVersion", identity=4))["id"], 4, "answer on the same WebSocket")


@cases("a request without Content-Type, or with any, is read as JSON")
def content_type(it):
    for fields in ({}, {"Content-Type": "text/plain"}, {"Content-Type": "application/x-www-form-urlencoded"}):
        same(it.post(it.request("getVersion"), **fields).status, 200, f"status with {fields}")


@cases("answers are application/json-rpc, are not to be cached, and the connection stays")
def head(it):
    answer = it.call("getVersion")
    same(answer.headers["content-type"].split(";")[0], "application/json-rpc", "Content-Type")
    same(answer.headers["cache-control"], "no-cache", "Cache-Control")
    caller = rpc.Caller(it.port, it.daemon.secret)
    caller("getVersion")
    local = caller.connection.sock.getsockname()
    caller("getVersion")
    same(caller.connection.sock.getsockname(), local, "the connection of the second call")
    caller.close()


@cases("a batch is answered in order with 200; members that are not objects are passed over")
def batch(it):
    members = [
        it.request("getVersion", identity=1), 5, it.request("tellStatus", "zz", identity=2), "x", None,
        {"method": "aria2.getVersion"}, {"id": 4, "method": "aria2.getVersion", "params": {}},
        it.request("getSessionInfo", identity="5"),
    ]
    for way in ("POST", "WebSocket"):
        answer = it.ways[way](members)
        same(answer.status, 200 if way == "POST" else 0, "status")
        same([(one["id"], one.get("error", {}).get("code")) for one in answer.body],
             [(1, None), (2, 1), (None, -32600), (4, -32602), ("5", None)], f"batch over {way}")
        for empty in ([], [1, "x"]):
            same(it.ways[way](empty).body, [], f"{empty} over {way}")


@cases("system.multicall wraps each result in an array, and gives errors as objects, in order")
def multicall(it):
    calls = [
        {"methodName": "aria2.getSessionInfo", "params": [it.token]},
        {"methodName": "aria2.nope", "params": [it.token]},
        {"methodName": "system.multicall", "params": [[]]},
        {"methodName": "system.listNotifications"}, {"params": []}, 5,
        {"methodName": "aria2.tellStatus", "params": [it.token, "zz"]},
    ]
    request = {"id": "m", "method": "system.multicall", "params": [calls]}
    for way, send in it.ways.items():
        answer = send(request)
        results = answer.result
        same(results[0], [it.result("getSessionInfo")], f"first over {way}")
        holds(isinstance(results[3], list) and "aria2.onDownloadStart" in results[3][0], f"list: {results[3]}")
        same([one for index, one in enumerate(results) if index not in (0, 3)], [
            {"code": 1, "message": "No such method: aria2.nope"},
            {"code": 1, "message": "Recursive system.multicall forbidden."},
            {"code": 1, "message": "Missing methodName."},
            {"code": 1, "message": "system.multicall expected struct."},
            {"code": 1, "message": "Invalid GID zz"},
        ], f"errors over {way}")
        holds(answer.status in (0, 200), f"status {answer.status}")


@cases("system.multicall without a list is an error")
def multicall_wrong(it):
    def call(*params):
        return it.post({"id": 1, "method": "system.multicall", "params": list(params)})
    it.refused(call(), "The parameter at 0 is required but missing.")
    for wrong in (5, {}, "x", it.token):
        it.refused(call(wrong, []), "The parameter at 0 has wrong type.")
    same(call([]).result, [], "no calls")


@cases("GET takes method, id and params in Base64; without a method, params is the whole request")
def by_get(it):
    same(rpc.get(it.port, "aria2.getVersion", [it.token], "x").body["id"], "x", "id")
    it.refused(rpc.get(it.port, "aria2.tellStatus", [it.token, "zz"]), "Invalid GID zz")
    it.refused(rpc.get(it.port, "aria2.getVersion", [it.token], None), "Invalid Request.", -32600)
    it.refused(rpc.get(it.port, None, None, None), "Invalid Request.", -32600)
    batch = [it.request("getVersion", identity=index) for index in range(3)]
    same([one["id"] for one in rpc.get(it.port, None, batch, None).body], [0, 1, 2], "batch by GET")
    same(rpc.get(it.port, None, batch[2], None).body["id"], 2, "one by GET")


@cases("a callback is not called: the answer of GET is never a script")
def callback(it):
    answer = rpc.get(it.port, "aria2.getVersion", [it.token], jsoncallback="alert")
    kind = answer.headers["content-type"].split(";")[0]
    same(kind, it.differs("text/javascript", "application/json-rpc", "JSONP is left out: any page could read it"),
         "Content-Type")


@cases("an unknown method is an error, and a wrong case is another name")
def unknown(it):
    for name in ("aria2.nope", "aria2.getversion", "getVersion", "", "aria2."):
        for way in ("POST", "WebSocket"):
            answer = it.ways[way]({"id": "1", "method": name, "params": [it.token]})
            same((answer.code, answer.message), (1, f"No such method: {name}"), f"{name} over {way}")


@cases("system.listMethods has every method that works, and system.listNotifications every notification")
def lists(it):
    for way, send in it.ways.items():
        names = set(send({"id": "1", "method": "system.listMethods", "params": []}).result)
        missing = METHODS - names
        same(missing, set(), f"methods that are not listed over {way}")
        notifications = send({"id": "1", "method": "system.listNotifications", "params": []}).result
        same(NOTIFICATIONS - set(notifications), set(), "notifications that are not listed")
    torrents = it.differs(True, False, "no torrents, so that clients do not offer them")
    same("aria2.addTorrent" in names, torrents, "addTorrent is listed")


@cases("getVersion names a version of aria2 and features; getSessionInfo 40 digits that stay")
def version_info(it):
    info = it.result("getVersion")
    same(sorted(info), ["enabledFeatures", "version"], "members")
    same([int(part) >= 0 for part in info["version"].split(".")], [True] * 3, "version")
    torrents = it.differs(True, False, "no torrents, so that clients do not offer them")
    same("BitTorrent" in info["enabledFeatures"], torrents, "BitTorrent among the features")
    session = it.result("getSessionInfo")["sessionId"]
    same((len(session), session), (40, it.result("getSessionInfo")["sessionId"]), "session")
    int(session, 16)


NAMES = """
    addUri remove forceRemove pause forcePause unpause pauseAll forcePauseAll unpauseAll purgeDownloadResult saveSession
    shutdown forceShutdown removeDownloadResult tellStatus tellActive tellWaiting tellStopped getUris getFiles
    getServers changePosition changeUri getOption getGlobalOption changeOption changeGlobalOption getGlobalStat
    getVersion getSessionInfo
"""
METHODS = {f"aria2.{name}" for name in NAMES.split()} | {
    "system.multicall", "system.listMethods", "system.listNotifications"}
NOTIFICATIONS = {f"aria2.onDownload{name}" for name in ("Start", "Pause", "Stop", "Complete", "Error")}
