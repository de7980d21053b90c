# Not tried yet. Replace OWNER and the digest. It takes the portable tarball, and so needs no Swift of nixpkgs.
{
  description = "Download accelerator with segments, resume, queues and mirrors";
  inputs.nixpkgs.url = "github:NixOS/nixpkgs/nixos-unstable";
  outputs = { self, nixpkgs }:
    let
      system = "x86_64-linux";
      pkgs = nixpkgs.legacyPackages.${system};
    in {
      packages.${system}.default = pkgs.stdenv.mkDerivation rec {
        pname = "segdl";
        version = "0.2.0";
        src = pkgs.fetchurl {
          url = "https://github.com/OWNER/SegmentedDL/releases/download/v${version}/segdl-${version}-linux-x86_64.tar.gz";
          hash = pkgs.lib.fakeHash;
        };
        nativeBuildInputs = [ pkgs.patchelf ];
        # The libraries are found below the command; only the loader is Nix's.
        dontPatchELF = true;
        dontStrip = true;
        installPhase = ''
          mkdir $out
          cp -r bin lib share $out
          patchelf --set-interpreter "$(cat $NIX_CC/nix-support/dynamic-linker)" $out/bin/segdl
        '';
        meta.license = pkgs.lib.licenses.asl20;
      };
    };
}
