/** Texts to begin with. Each runs on a fresh Debian or Ubuntu. */
export const STARTERS: readonly { name: string; text: string }[] = [
  {
    name: 'Docker',
    text: `#cloud-config
package_update: true
packages:
  - docker.io
runcmd:
  - systemctl enable --now docker
`,
  },
  {
    name: 'WireGuard',
    text: `#!/bin/sh
set -eu
apt-get update
DEBIAN_FRONTEND=noninteractive apt-get install -y wireguard
umask 077
key=$(wg genkey)
cat > /etc/wireguard/wg0.conf <<END
[Interface]
Address = 10.8.0.1/24
ListenPort = 51820
PrivateKey = $key

# One section per device:
# [Peer]
# PublicKey = the key of your device
# AllowedIPs = 10.8.0.2/32
END
systemctl enable --now wg-quick@wg0
echo "$key" | wg pubkey > /etc/wireguard/public-key
`,
  },
  {
    name: 'Tor relay',
    text: `#cloud-config
package_update: true
packages:
  - tor
write_files:
  - path: /etc/tor/torrc
    content: |
      # A relay between others: no traffic leaves for the internet from here.
      Nickname MyRelay
      ContactInfo you@example.com
      ORPort 9001
      ExitRelay 0
      SocksPort 0
runcmd:
  - systemctl restart tor
`,
  },
]
