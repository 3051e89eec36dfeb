import { exactTime } from '../../lib/format/time.ts'
import { Copy } from '../../widgets/facts/copy.tsx'
import { fingerprintGroups, type SeenCertificate } from './cluster-form.ts'

/** SHA-256 in groups, for comparison by eye. */
export function Fingerprint({ value }: { value: string }) {
  return (
    <div className="flex items-start justify-between gap-2 rounded-md border bg-sunken py-2 pr-1 pl-3">
      <code className="grid grid-cols-2 gap-x-4 gap-y-1 py-1 font-mono text-xs sm:text-sm">
        {fingerprintGroups(value).map((group, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: groups may repeat and never move
          <span key={index}>{group}</span>
        ))}
      </code>
      <Copy value={value} label="Copy fingerprint" />
    </div>
  )
}

/** The certificate that the host presented, and where to find the same on the host. */
export function CertificateSeen({ certificate }: { certificate: SeenCertificate }) {
  const { fingerprint, subject, validTo } = certificate
  return (
    <div className="space-y-3">
      <p>
        The host shows a certificate this server does not know. Compare its SHA-256 fingerprint with
        the one Proxmox shows under node → System → Certificates, or with this command on the node:
      </p>
      <code className="block break-words rounded-md border bg-sunken px-3 py-2 font-mono text-xs">
        openssl x509 -in /etc/pve/local/pve-ssl.pem -noout -fingerprint -sha256
      </code>
      <Fingerprint value={fingerprint} />
      {(subject || validTo) && (
        <p className="text-ink-soft">
          {subject && <>Issued to {subject}. </>}
          {validTo && <>Valid until {exactTime(new Date(validTo))}.</>}
        </p>
      )}
      <p className="text-ink-soft">No password has been sent yet.</p>
    </div>
  )
}
