extension Aria2OptionTable {
    /// The options that change nothing here.
    static let withoutEffect = """
        allow-piece-length-change - flag
        always-resume - flag true
        async-dns - flag true
        async-dns-server - text
        auto-save-interval - number:0..600 60
        bt-detach-seed-only - flag
        bt-enable-hook-after-hash-check - flag true
        bt-enable-lpd - flag
        bt-exclude-tracker - text
        bt-external-ip - text
        bt-force-encryption - flag
        bt-hash-check-seed - flag true
        bt-load-saved-metadata - flag
        bt-lpd-interface - text
        bt-max-open-files - number:1.. 100
        bt-max-peers - number:0.. 55
        bt-metadata-only - flag
        bt-min-crypto-level - choice:plain,arc4 plain
        bt-prioritize-piece - text
        bt-remove-unselected-file - flag
        bt-request-peer-speed-limit - size:0.. 50K
        bt-require-crypto - flag
        bt-save-metadata - flag
        bt-seed-unverified - flag
        bt-stop-timeout - number:0.. 0
        bt-tracker - text
        bt-tracker-connect-timeout - number:1..600 60
        bt-tracker-interval - number:0.. 0
        bt-tracker-timeout - number:1..600 60
        check-integrity V flag
        content-disposition-default-utf8 - flag
        deferred-input - flag
        dht-entry-point - text
        dht-entry-point6 - text
        dht-file-path - path
        dht-file-path6 - path
        dht-listen-addr6 - text
        dht-listen-port - text 6881-6999
        dht-message-timeout - number:1..60 10
        disk-cache - size:0.. 16M
        dscp - number:0.. 0
        enable-async-dns6 - flag
        enable-dht - flag true
        enable-dht6 - flag
        enable-http-keep-alive - flag true
        enable-http-pipelining - flag
        enable-mmap - flag
        enable-peer-exchange - flag true
        event-poll - choice:epoll,poll,select epoll
        file-allocation - choice:none,prealloc,trunc,falloc prealloc
        follow-torrent - choice:true,mem,false true
        ftp-passwd - text
        ftp-pasv p flag true
        ftp-proxy - text
        ftp-proxy-passwd - text
        ftp-proxy-user - text
        ftp-reuse-connection - flag true
        ftp-type - choice:binary,ascii binary
        ftp-user - text
        http-accept-gzip - flag
        http-auth-challenge - flag
        index-out O list
        keep-unfinished-download-result - flag true
        listen-port - text 6881-6999
        max-download-result - number:0.. 1000
        max-mmap-limit - size:0.. 9223372036854775807
        max-overall-upload-limit - size:0.. 0
        max-resume-failure-tries - number:0.. 0
        max-upload-limit u size:0.. 0
        metalink-base-uri - text
        metalink-enable-unique-protocol - flag true
        metalink-language - text
        metalink-location - text
        metalink-os - text
        metalink-preferred-protocol - choice:http,https,ftp,none none
        metalink-version - text
        min-tls-version - choice:TLSv1.1,TLSv1.2,TLSv1.3 TLSv1.2
        no-file-allocation-limit - size:0.. 5M
        on-bt-download-complete - path
        optimize-concurrent-downloads - optional
        peer-agent - text
        peer-id-prefix - text
        piece-length - size:1048576..1073741824 1M
        proxy-method - choice:get,tunnel get
        realtime-chunk-checksum - flag true
        reuse-uri - flag true
        rlimit-nofile - number:1..
        save-session-interval - number:0.. 0
        seed-ratio - text 1.0
        seed-time - text
        select-file - text
        server-stat-if - path
        server-stat-of - path
        server-stat-timeout - number:0.. 86400
        socket-recv-buffer-size - size:0..16777216 0
        ssh-host-key-md - text
        stream-piece-selector - choice:default,inorder,random,geom default
        uri-selector - choice:inorder,feedback,adaptive feedback
        use-head - flag
        """

    /// The options of work that segdl does not do.
    static let missing = """
        daemon D flag
        hash-check-only - flag
        metalink-file M path
        multiple-interface - text
        netrc-path - path
        save-cookies - path
        show-files S flag
        stop-with-process - number:0..
        torrent-file T path
        """

    /// The remedy for each of the missing options.
    static let remedies = [
        "daemon": "Write & behind the command, or run segdl serve.",
        "hash-check-only": "segdl verify compares files with their digests.",
        "metalink-file": "Write segdl mirror FILE DIRECTORY.",
        "multiple-interface": "Name one with --interface.",
        "netrc-path": "Only ~/.netrc is read.",
        "save-cookies": "segdl writes no cookies; leave it out.",
        "show-files": "segdl has no torrents, and segdl mirror --dry-run shows the files of a Metalink.",
        "stop-with-process": "Stop it with a signal, or with --stop=SECONDS.",
        "torrent-file": "segdl downloads over http and https only.",
    ]
}
