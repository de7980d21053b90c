import Testing

@testable import SegmentedDL

@Suite("Profiles of AWS tools")
struct AWSProfilesTests {
    private static let config = """
        # shared
        [default]
        region = eu-west-1   # near

        [profile work]
        Region=eu-central-1
        endpoint_url = http://h:9000
        s3 =
          max_concurrent_requests = 20
        aws_access_key_id = FROMCONFIG
        aws_secret_access_key = config
        [profile "with blank"]
        credential_process = /usr/bin/keys --for "a b" # not this
        [sso-session other]
        sso_start_url = https://x
        [profile role]
        role_arn = arn:aws:iam::1:role/x
        source_profile = work
        role_session_name = mine
        external_id = word
        duration_seconds = 900
        [profile own]
        role_arn = arn:own
        source_profile = own
        aws_access_key_id = OWN
        aws_secret_access_key = s
        [profile circle]
        role_arn = a
        source_profile = circle2
        [profile circle2]
        role_arn = b
        source_profile = circle
        [profile nowhere]
        role_arn = a
        [profile hollow]
        role_arn = a
        source_profile = empty
        [profile code]
        mfa_serial = arn
        [profile pod]
        role_arn = arn:pod
        web_identity_token_file = /t
        [profile machine]
        role_arn = arn:m
        credential_source = Ec2InstanceMetadata
        [profile task]
        role_arn = arn:t
        credential_source = EcsContainer
        [profile variables]
        role_arn = arn:v
        credential_source = Environment
        [profile login]
        sso_session = other
        [profile half]
        aws_access_key_id = ONE
        [profile empty]
        """

    private static let credentials = """
        [default]
        aws_access_key_id = DEFAULT
        aws_secret_access_key = a/b+c=
        aws_session_token =
        ; a comment
        [work]
        aws_access_key_id = WORK
        aws_secret_access_key = secret#1
        aws_session_token = token
        """

    private func profiles() throws -> AWSProfiles {
        try AWSProfiles(config: Self.config, credentials: Self.credentials)
    }

    @Test("may begin with a byte order mark")
    func mark() throws {
        let text = "\u{FEFF}[default]\naws_access_key_id = A\n"
        let profiles = try AWSProfiles(config: "\u{FEFF}[default]\nregion = r\n", credentials: text)
        #expect(profiles.value("aws_access_key_id", of: "default") == "A")
        #expect(profiles.value("region", of: "default") == "r")
    }

    @Test("are read from both files, and the credentials file takes precedence")
    func both() throws {
        let profiles = try profiles()
        #expect(
            profiles.names == [
                "circle", "circle2", "code", "default", "empty", "half", "hollow", "login", "machine",
                "nowhere",
                "own", "pod", "role", "task", "variables", "with blank", "work",
            ])
        #expect(profiles.value("region", of: "default") == "eu-west-1")
        #expect(profiles.value("region", of: "work") == "eu-central-1")
        #expect(profiles.value("max_concurrent_requests", of: "work") == nil)
        #expect(
            try profiles.origin(of: "default")
                == .keys(AWSKeys(accessKeyID: "DEFAULT", secretAccessKey: "a/b+c=")))
        #expect(
            try profiles.origin(of: "work")
                == .keys(
                    AWSKeys(accessKeyID: "WORK", secretAccessKey: "secret#1", sessionToken: "token")))
        #expect(try profiles.origin(of: "with blank") == .process("/usr/bin/keys --for \"a b\""))
        #expect(try profiles.origin(of: "empty") == nil && profiles.origin(of: "none") == nil)
    }

    @Test(
        "with unusable keys are refused with a reason, and without a secret",
        arguments: [
            ("code", "export-credentials"), ("login", "SSO"), ("half", "aws_secret_access_key"),
            ("circle", "circle"), ("nowhere", "credential_source"), ("hollow", "'empty'"),
            ("task", "credential_source"),
        ])
    func refused(name: String, reason: String) throws {
        let profiles = try profiles()
        let error = #expect(throws: DownloadError.self) { try profiles.origin(of: name) }
        #expect(error?.code == .invalidSetting)
        #expect(error?.message.contains("'\(name)'") == true && error?.message.contains(reason) == true)
    }

    @Test("with a role have the keys that can assume it")
    func roles() throws {
        let profiles = try profiles()
        let work = AWSKeys(accessKeyID: "WORK", secretAccessKey: "secret#1", sessionToken: "token")
        #expect(
            try profiles.origin(of: "role")
                == .role(
                    AWSRole("arn:aws:iam::1:role/x", session: "mine", externalID: "word", seconds: "900"),
                    by: .keys(work)))
        #expect(
            try profiles.origin(of: "own")
                == .role(
                    AWSRole("arn:own", session: nil),
                    by: .keys(AWSKeys(accessKeyID: "OWN", secretAccessKey: "s"))))
        #expect(
            try profiles.origin(of: "pod") == .webIdentity(AWSRole("arn:pod", session: nil), tokenFile: "/t"))
        #expect(
            try profiles.origin(of: "machine")
                == .role(AWSRole("arn:m", session: nil), by: .instance(endpoint: "http://169.254.169.254")))
        #expect(
            try profiles.origin(of: "task", ["AWS_CONTAINER_CREDENTIALS_RELATIVE_URI": "/x"])
                == .role(
                    AWSRole("arn:t", session: nil),
                    by: .container(AWSContainer(url: "http://169.254.170.2/x"))))
        let keys = ["AWS_ACCESS_KEY_ID": "ENV", "AWS_SECRET_ACCESS_KEY": "s", "AWS_SESSION_TOKEN": ""]
        #expect(
            try profiles.origin(of: "variables", keys)
                == .role(
                    AWSRole("arn:v", session: nil),
                    by: .keys(AWSKeys(accessKeyID: "ENV", secretAccessKey: "s"))))
    }

    @Test("in a broken file are refused with only the line number", arguments: ["a = b", "[x]\nhidden"])
    func broken(text: String) {
        let error = #expect(throws: DownloadError.self) { try AWSProfiles(config: "", credentials: text) }
        #expect(error?.message.contains("Line \(text.hasPrefix("[") ? 2 : 1)") == true)
        #expect(error?.message.contains("hidden") == false)
    }

    // MARK: Settings

    private func settings(
        _ environment: [String: String], profile: String? = nil, isSigned: Bool = true
    ) throws -> S3Settings {
        try S3Settings(
            environment: environment, profiles: profiles(), profile: profile, isSigned: isSigned,
            effects: AWSKeyFetch.Effects(
                output: { command in
                    Array(#"{"Version":1,"AccessKeyId":"P","SecretAccessKey":"\#(command.count)"}"#.utf8)
                },
                contents: { _ in "" }, answer: { _ in [] }))
    }

    @Test("supply what the variables leave unset")
    func filled() throws {
        let usual = try settings([:])
        #expect(usual.credentials?.user == "DEFAULT" && usual.region == "eu-west-1" && usual.endpoint == nil)
        let named = try settings(["AWS_PROFILE": "work", "AWS_REGION": "r"])
        #expect(named.credentials?.user == "WORK" && named.region == "r")
        #expect(named.endpoint?.url == "http://h:9000/" || named.endpoint?.url == "http://h:9000")
        #expect(try settings(["AWS_DEFAULT_PROFILE": "work"]).credentials?.user == "WORK")
        let other = try settings(["AWS_PROFILE": "work", "AWS_ENDPOINT_URL_S3": "http://o"])
        #expect(other.endpoint?.url.hasPrefix("http://o") == true)
        #expect(try settings(["AWS_PROFILE": "empty"]).credentials == nil)
        #expect(try settings(["AWS_PROFILE": "role"], isSigned: false).credentials == nil)
    }

    @Test("follow the keys of variables, unless the profile is named on the command line")
    func order() throws {
        let keys = ["AWS_ACCESS_KEY_ID": "ENV", "AWS_SECRET_ACCESS_KEY": "s", "AWS_PROFILE": "work"]
        #expect(try settings(keys).credentials?.user == "ENV")
        #expect(try settings(keys, profile: "default").credentials?.user == "DEFAULT")
        for (name, part) in [("nobody", "default, empty"), ("empty", "no keys")] {
            let error = #expect(throws: DownloadError.self) { try settings(keys, profile: name) }
            #expect(error?.message.contains(part) == true)
        }
    }

    @Test("with a command sign with the keys that it prints")
    func process() async throws {
        let credentials = try #require(try settings([:], profile: "with blank").credentials)
        let current = try #require(try await credentials.current(now: 0))
        #expect(current.user == "P" && current.password == "25" && current.signature?.region == "us-east-1")
    }

    @Test(
        "with a command read what it prints",
        arguments: [
            (#"{"Version":1,"AccessKeyId":"a","SecretAccessKey":"b"}"#, nil, true),
            (
                #"{"Version":1,"AccessKeyId":"a","SecretAccessKey":"b","Expiration":"1970-01-01T01:00:00Z"}"#,
                3600,
                true
            ),
            (
                #"{"Version":1,"AccessKeyId":"a","SecretAccessKey":"b","Expiration":"1970-01-01T01:00:00.5+00:00"}"#,
                3600, true
            ),
            (#"{"Version":1,"AccessKeyId":"a","SecretAccessKey":"b","Expiration":"soon"}"#, nil, false),
            (#"{"Version":2,"AccessKeyId":"a","SecretAccessKey":"b"}"#, nil, false),
            (#"{"Version":1,"AccessKeyId":"a"}"#, nil, false), ("", nil, false),
        ] as [(String, Int64?, Bool)])
    func printed(text: String, expiration: Int64?, isRight: Bool) {
        let keys = AWSKeys(processOutput: Array(text.utf8))
        #expect((keys != nil) == isRight && keys?.expiration == expiration)
    }
}
