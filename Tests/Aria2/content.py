"""The files of the server: plain ones, and a playlist and a manifest with fragments."""

import random

FRAGMENTS = 12


def some(size, seed):
    return random.Random(seed).randbytes(size)


def files():
    result = {
        "film.mp4": some(5_000_000, 1), "small.bin": some(1_000, 2), "other.bin": some(400_000, 3),
        "deb/a.deb": some(3_000_000, 4), "deb/b.deb": some(120_000, 5), "mirror/a.deb": some(3_000_000, 4),
    }
    for number in range(1, 5):
        result[f"model/model-{number}.safetensors"] = some(4_000_000, 10 + number)
    lines = ["#EXTM3U", "#EXT-X-VERSION:3", "#EXT-X-TARGETDURATION:2"]
    segments = []
    for number in range(FRAGMENTS):
        result[f"hls/{number}.ts"] = some(90_000 + number, 100 + number)
        lines += ["#EXTINF:2.0,", f"{number}.ts"]
        result[f"dash/{number}.m4s"] = some(80_000 + number, 200 + number)
        segments.append(f'<SegmentURL media="{number}.m4s"/>')
    result["dash/init.mp4"] = some(900, 300)
    result["hls/film.m3u8"] = ("\n".join([*lines, "#EXT-X-ENDLIST"]) + "\n").encode()
    result["dash/film.mpd"] = manifest(segments).encode()
    return result


def manifest(segments):
    return f"""<?xml version="1.0"?>
<MPD xmlns="urn:mpeg:dash:schema:mpd:2011" type="static" mediaPresentationDuration="PT{2 * FRAGMENTS}S"
 minBufferTime="PT2S" profiles="urn:mpeg:dash:profile:isoff-main:2011">
<Period><AdaptationSet mimeType="video/mp4" codecs="avc1.4d401f">
<Representation id="v" bandwidth="400000" width="320" height="240">
<SegmentList duration="2"><Initialization sourceURL="init.mp4"/>{"".join(segments)}</SegmentList>
</Representation></AdaptationSet></Period></MPD>
"""
