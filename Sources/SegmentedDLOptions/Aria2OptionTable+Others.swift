extension Aria2OptionTable {
    /// The options without effect here.
    static let withoutEffect = """
        allow-piece-length-change - flag | list call fetch:default
        always-resume - flag true | list call fetch:default
        async-dns - flag true | list call
        async-dns-server - text
        auto-save-interval - number:0..600 60 | call process fetch:default
        bt-detach-seed-only - flag
        bt-enable-hook-after-hash-check - flag true | call
        bt-enable-lpd - flag | call
        bt-exclude-tracker - text
        bt-external-ip - text
        bt-force-encryption - flag | call
        bt-hash-check-seed - flag true | call
        bt-load-saved-metadata - flag | call
        bt-lpd-interface - text
        bt-max-open-files - number:1.. 100
        bt-max-peers - number:0.. 55 | call
        bt-metadata-only - flag | call fetch=missing
        bt-min-crypto-level - choice:plain,arc4 plain | call
        bt-prioritize-piece - text
        bt-remove-unselected-file - flag | call
        bt-request-peer-speed-limit - size:0.. 50K | call
        bt-require-crypto - flag | call
        bt-save-metadata - flag | call
        bt-seed-unverified - flag | call
        bt-stop-timeout - number:0.. 0 | call
        bt-tracker - text
        bt-tracker-connect-timeout - number:1..600 60 | call
        bt-tracker-interval - number:0.. 0 | call
        bt-tracker-timeout - number:1..600 60 | call
        check-integrity V flag | list call:true fetch=missing
        content-disposition-default-utf8 - flag | list call
        deferred-input - flag
        dht-entry-point - text
        dht-entry-point6 - text
        dht-file-path - path | owner
        dht-file-path6 - path | owner
        dht-listen-addr6 - text
        dht-listen-port - text 6881-6999
        dht-message-timeout - number:1..60 10
        disk-cache - size:0.. 16M | call process fetch:default
        dscp - number:0.. 0
        enable-async-dns6 - flag
        enable-dht - flag true
        enable-dht6 - flag
        enable-http-keep-alive - flag true | list call fetch=default
        enable-http-pipelining - flag | list call fetch=default
        enable-mmap - flag | call
        enable-peer-exchange - flag true | call
        event-poll - choice:epoll,poll,select epoll
        file-allocation a choice:none,prealloc,trunc,falloc prealloc | list call:falloc fetch:default
        follow-torrent - choice:true,mem,false true | call:false fetch=missing
        ftp-passwd - text
        ftp-pasv p flag true | call
        ftp-proxy - text
        ftp-proxy-passwd - text
        ftp-proxy-user - text
        ftp-reuse-connection - flag true | call
        ftp-type - choice:binary,ascii binary | call
        ftp-user - text | fetch=missing
        http-accept-gzip - flag | list call
        http-auth-challenge - flag | call
        index-out O list
        keep-unfinished-download-result - flag true | call process
        listen-port - text 6881-6999
        max-download-result - number:0.. 1000 | call process
        max-mmap-limit - size:0.. 9223372036854775807 | list call
        max-overall-upload-limit - size:0.. 0
        max-resume-failure-tries - number:0.. 0 | list call fetch:default
        max-upload-limit u size:0.. 0 | call
        metalink-base-uri - text
        metalink-enable-unique-protocol - flag true | call
        metalink-language - text
        metalink-location - text
        metalink-os - text
        metalink-preferred-protocol - choice:http,https,ftp,none none | call
        metalink-version - text
        min-tls-version - choice:TLSv1.1,TLSv1.2,TLSv1.3 TLSv1.2 | call process
        no-file-allocation-limit - size:0.. 5M | list call
        no-want-digest-header - flag | list
        on-bt-download-complete - path | owner
        optimize-concurrent-downloads - optional | call:false process
        peer-agent - text
        peer-id-prefix - text
        piece-length - size:1048576..1073741824 1M | list call fetch:default
        proxy-method - choice:get,tunnel get | call
        realtime-chunk-checksum - flag true | list call fetch:default
        reuse-uri - flag true | list call
        rlimit-nofile - number:1..
        save-session-interval - number:0.. 0 | call process
        seed-ratio - text 1.0 | call:0
        seed-time - text | call:0 fetch=missing
        select-file - text | call one fetch=missing
        server-stat-if - path | list owner
        server-stat-of - path | list owner
        server-stat-timeout - number:0.. 86400
        socket-recv-buffer-size - size:0..16777216 0
        ssh-host-key-md - text
        uri-selector - choice:inorder,feedback,adaptive feedback | list call fetch:default
        use-head - flag | list call fetch:default
        """

    /// The options for features that segdl does not have; ``Aria2Option/notes`` gives the alternatives.
    static let missing = """
        daemon D flag | owner:false fetch=missing
        hash-check-only - flag | fixed
        metalink-file M path | owner fetch=missing
        multiple-interface - text
        netrc-path - path | owner fetch:--netrc-file
        save-cookies - path | owner fetch=missing
        show-files S flag
        stop-with-process - number:0..
        torrent-file T path | owner fetch=missing
        """
}
