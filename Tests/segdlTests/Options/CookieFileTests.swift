import Testing

@testable import segdl

@Suite("Files of cookies")
struct CookieFileTests {
    @Test(
        "contain cookies, or nothing",
        arguments: [
            "", "# Netscape HTTP Cookie File\n\n", "a.b\tFALSE\t/\tFALSE\t0\tname\tvalue\n",
            "#HttpOnly_a.b\tFALSE\t/\tFALSE\t0\tname\tvalue", "# x\n.a.b\tTRUE\t/\tTRUE\t0\tname\r\n",
            "Set-Cookie: a=b; path=/",
        ])
    func usable(text: String) {
        #expect(CookieFile.isUsable(text: text))
    }

    @Test(
        "are nothing else",
        arguments: ["a=b", "{\"a\": 1}\n", "# x\nname value\n", "#HttpOnly_a.b name value"])
    func unusable(text: String) {
        #expect(!CookieFile.isUsable(text: text))
    }
}
