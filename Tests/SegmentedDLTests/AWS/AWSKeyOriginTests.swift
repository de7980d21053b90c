import Testing

@testable import SegmentedDL

@Suite("Origins of keys")
struct AWSKeyOriginTests {
    @Test("of variables are a role for a token, a container, and an Amazon machine")
    func variables() throws {
        let token = ["AWS_WEB_IDENTITY_TOKEN_FILE": "/t", "AWS_ROLE_ARN": "a", "AWS_ROLE_SESSION_NAME": "s"]
        #expect(
            AWSKeyOrigin.beforeProfiles(token)
                == .webIdentity(AWSRole("a", session: "s"), tokenFile: "/t"))
        #expect(AWSKeyOrigin.beforeProfiles(["AWS_ROLE_ARN": "a"]) == nil)
        func last(_ environment: [String: String], isOnAWS: Bool = true) throws -> AWSKeyOrigin? {
            try AWSKeyOrigin.afterProfiles(environment, isOnAWS: isOnAWS)
        }
        #expect(
            try last([
                "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI": "/v2/x", "AWS_CONTAINER_AUTHORIZATION_TOKEN": "t",
            ]) == .container(AWSContainer(url: "http://169.254.170.2/v2/x", token: "t")))
        #expect(try last([:]) == .instance(endpoint: "http://169.254.169.254"))
        #expect(try last([:], isOnAWS: false) == nil)
        #expect(try last(["AWS_EC2_METADATA_DISABLED": "True"]) == nil)
        #expect(
            try last(["AWS_EC2_METADATA_SERVICE_ENDPOINT": "http://[fd00:ec2::254]/"], isOnAWS: false)
                == .instance(endpoint: "http://[fd00:ec2::254]"))
    }

    @Test(
        "in a container are accessed only over TLS, or on this machine and its host",
        arguments: [
            ("http://127.0.0.1:80/x", true), ("http://localhost/x", true), ("https://h.example/x", true),
            ("http://169.254.170.23/v1/credentials", true), ("http://[fd00:ec2::23]/x", true),
            ("http://h.example/x", false), ("http://127.evil.example/x", false),
            ("http://127.0.0.1.example/x", false), ("http://169.254.169.254/x", false), ("file:///x", false),
        ])
    func containers(url: String, isRight: Bool) {
        let environment = ["AWS_CONTAINER_CREDENTIALS_FULL_URI": url]
        let origin = try? AWSKeyOrigin.container(environment)
        #expect((origin != nil) == isRight)
    }

    @Test(
        "return keys in their own formats",
        arguments: [
            (
                "<R><Credentials><AccessKeyId>a</AccessKeyId><SecretAccessKey>b</SecretAccessKey><SessionToken>\n c \n</SessionToken><Expiration>1970-01-01T01:00:00Z</Expiration></Credentials></R>",
                true
            ),
            ("<R><AccessKeyId>a</AccessKeyId><SecretAccessKey>b</SecretAccessKey></R>", false),
            ("<AccessKeyId>", false), ("", false),
        ])
    func roleAnswers(text: String, isRight: Bool) {
        let keys = AWSKeys(roleAnswer: Array(text.utf8))
        #expect((keys != nil) == isRight)
        if let keys { #expect(keys.sessionToken == "c" && keys.expiration == 3600) }
    }

    @Test("return no keys for responses in another format")
    func serviceAnswers() {
        let right =
            #"{"AccessKeyId":"a","SecretAccessKey":"b","Token":"c","Expiration":"1970-01-01T01:00:00Z"}"#
        #expect(AWSKeys(serviceAnswer: Array(right.utf8))?.expiration == 3600)
        for wrong in [
            "", "{}", #"{"Code":"AssumeRoleUnauthorizedAccess"}"#, right.replacing("1970-", with: "x"),
        ] {
            #expect(AWSKeys(serviceAnswer: Array(wrong.utf8)) == nil)
        }
    }
}
