export type Change = { type: 'major' | 'minor' | 'other'; text: string }
export type Release = { version: string; date: string; changes: readonly Change[] }

/** Newest first. */
export const changelog: readonly [Release, ...Release[]] = [
  {
    version: '1.0.1',
    date: '2024-12-19',
    changes: [
      { type: 'major', text: 'Admin client credential display' },
      { type: 'major', text: 'Client deletion with token cleanup' },
      { type: 'major', text: 'Admin password reset' },
      { type: 'minor', text: 'Device fingerprint and MAC tracking' },
      { type: 'minor', text: 'Login by username or email' },
    ],
  },
  {
    version: '1.0.0',
    date: '2024-12-18',
    changes: [
      { type: 'major', text: 'Initial release with anonymous registration' },
      { type: 'major', text: 'Cluster integration' },
      { type: 'major', text: 'Token-based provisioning' },
      { type: 'minor', text: 'Admin and client roles' },
      { type: 'minor', text: 'Real-time monitoring' },
    ],
  },
]

export const currentVersion = changelog[0].version
