"""The secret: where it stands, and what comes without it."""

import rpc
from daemons import SECRET
from outcome import Cases, holds, same

cases = Cases()


def call(it, *params, method="aria2.getVersion"):
    return {"id": "1", "method": method, "params": list(params)}


@cases("without the token, or with a wrong one: Unauthorized, on all ways")
def wrong(it):
    # Few, because aria2c takes up to two seconds for each.
    for way, params in (("POST", []), ("WebSocket", [f"token:{SECRET}x"]), ("GET", ["token:"])):
        answer = it.ways[way](call(it, *params))
        same((answer.code, answer.message), (1, "Unauthorized"), f"{params} over {way}")
        same(answer.status, 0 if way == "WebSocket" else 400, f"status over {way}")


@cases("the secret without token: before it, in another place or in an array is Unauthorized")
def misplaced(it):
    many = [[SECRET], [f"Token:{SECRET}"], ["x", it.token], [[it.token]], [f"token:{SECRET[:-1]}"]]
    for params in many[:1] if it.is_aria2 else many:
        it.refused(it.post(call(it, *params)), "Unauthorized")


@cases("an unknown method and wrong params without the token are Unauthorized, too: nothing is told")
def tells_nothing(it):
    for method in ("aria2.nope", "aria2.tellStatus")[:1 if it.is_aria2 else 2]:
        it.refused(it.post(call(it, "token:x", "zz", method=method)), "Unauthorized")


@cases("system.listMethods, system.listNotifications and system.multicall need no token")
def without(it):
    for method in ("system.listMethods", "system.listNotifications"):
        same(it.post({"id": 1, "method": method}).status, 200, method)
    same(it.post(call(it, [], method="system.multicall")).result, [], "multicall of nothing")


@cases("each call of a multicall has a token of its own")
def many(it):
    calls = [{"methodName": "aria2.getVersion", "params": [it.token]}, {"methodName": "aria2.getVersion"}]
    results = it.post(call(it, calls, method="system.multicall")).result
    same((type(results[0]), results[1]), (list, {"code": 1, "message": "Unauthorized"}), "results")


@cases("a batch goes on after a call without the token")
def batch(it):
    answers = it.post([call(it), it.request("getVersion", identity=2)]).body
    same([("error" in one, one["id"]) for one in answers], [(True, "1"), (False, 2)], "answers")


@cases("the secret is in no option that a call returns")
def hidden(it):
    gid = it.paused()
    for method, params in (("getGlobalOption", ()), ("getOption", (gid,)), ("tellStatus", (gid,))):
        answer = it.call(method, *params)
        holds(SECRET not in str(answer.body) and "rpc-secret" not in answer.result, f"{method} shows the secret")


@cases("notifications come without any token")
def notifications(it):
    with it.websocket() as socket:
        gid = it.add("file/10/told.bin")
        same(socket.message(), {"jsonrpc": "2.0", "method": "aria2.onDownloadStart", "params": [{"gid": gid}]},
             "first message")


@cases("a call with the token is answered at once while a wrong one waits")
def others(it):
    with it.websocket() as socket:
        socket.send('{"id":1,"method":"aria2.getVersion","params":["token:wrong"]}')
        answers = [rpc.post(it.port, it.request("getVersion")).status for _ in range(5)]
        same(answers, [200] * 5, "statuses")
        same(socket.answer()["error"]["message"], "Unauthorized", "the wrong one")
