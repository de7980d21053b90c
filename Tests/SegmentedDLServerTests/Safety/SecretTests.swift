import SegmentedDLServer
import Testing

@Suite struct SecretTests {
    @Test("only the whole secret matches")
    func matches() {
        let secret = Secret("correct horse")
        #expect(secret.matches("correct horse"))
        for guess in [
            nil, "", "correct", "correct horse ", "correct horsf", "xorrect horse", "CORRECT HORSE",
        ] {
            #expect(!secret.matches(guess))
        }
    }

    @Test("an empty secret matches nothing")
    func empty() {
        #expect(!Secret("").matches(""))
        #expect(!Secret("").matches(nil))
    }

    @Test("a random secret has 40 digits, and differs each time")
    func random() {
        let secrets = Set((0..<100).map { _ in Secret.random() })
        #expect(secrets.count == 100)
        #expect(secrets.allSatisfy { $0.count == 40 && $0.allSatisfy(\.isHexDigit) })
    }
}
