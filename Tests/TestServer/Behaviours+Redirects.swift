extension Behaviours {
    static let redirects: [String: Behaviour] = [
        "redirect": { exchange in
            guard exchange.isFaulty(.all) else { return exchange.honest() }
            return redirect(
                exchange, to: exchange.query.bytes("to") ?? Array(exchange.target.sibling("plain").utf8))
        },
        "redirect-loop": { exchange in
            redirect(exchange, to: Array(exchange.head.target.utf8))
        },
        "redirect-cookie": { exchange in
            if exchange.head["cookie"]?.contains("way=1") == true { return exchange.honest() }
            let target = exchange.query.bytes("to") ?? Array(exchange.head.target.utf8)
            var response = redirect(exchange, to: target, code: 302)
            response.add("Set-Cookie", Array("way=1; Path=/; HttpOnly".utf8))
            return response
        },
        "redirect-nowhere": { exchange in
            exchange.isFaulty(.all)
                ? .page(Int(exchange.query.int("code") ?? 302)) : exchange.honest()
        },
        "redirect-chain": { exchange in
            let hops = exchange.query.int("n") ?? 3
            if hops <= 0 { return exchange.honest() }
            let next =
                hops == 1
                ? exchange.target.sibling("plain", dropping: ["n"])
                : exchange.target.sibling("redirect-chain", dropping: ["n"], adding: ["n=\(hops - 1)"])
            return redirect(exchange, to: Array(next.utf8))
        },
        "signed": { exchange in
            guard exchange.state.tokenCount < exchange.query.int("issues") ?? .max else {
                return .page(Int(exchange.query.int("code") ?? 403))
            }
            let token = exchange.state.newToken()
            let location = exchange.target.sibling(
                "signed-target", dropping: ["token"], adding: ["token=\(token)"])
            // Not with `code=`, which sets the status for an exhausted token.
            return redirect(exchange, to: Array(location.utf8), code: 302)
        },
        "signed-target": { exchange in
            let token = exchange.query.string("token") ?? ""
            if exchange.state.use(token: token, limit: exchange.query.int("uses") ?? .max) {
                return exchange.honest()
            }
            return .page(Int(exchange.query.int("code") ?? 403))
        },
    ]

    static func redirect(_ exchange: Exchange, to location: [UInt8], code: Int? = nil) -> Response {
        var response = Response.page(code ?? Int(exchange.query.int("code") ?? 302))
        response.add("Location", location)
        return response
    }
}
