import type { operatingSystems } from '../db/schema/infrastructure.ts'
import type { packages } from '../db/schema/sales.ts'

/** The six systems of the package form. */
export const FIRST_OPERATING_SYSTEMS: (typeof operatingSystems.$inferInsert)[] = [
  { name: 'Ubuntu 22.04', description: 'Long-term support, until 2027' },
  { name: 'Ubuntu 25.04', description: null },
  { name: 'Windows Server 2025', description: null },
  { name: 'CentOS 8', description: null },
  { name: 'Debian 12', description: 'Bookworm' },
  { name: 'Rocky Linux 9', description: null },
]

const LINUX = ['Ubuntu 22.04', 'Ubuntu 25.04', 'Debian 12', 'Rocky Linux 9', 'CentOS 8']

/** Packages to start from; an operator sets their own. */
export const FIRST_PACKAGES: (typeof packages.$inferInsert)[] = [
  {
    id: 'trial',
    name: 'Trial',
    description: 'Seven days to see whether it suits you.',
    cpu: '1 CPU',
    ram: '1 GB RAM',
    storage: '25 GB SSD',
    bandwidth: '100 Mbit/s',
    traffic: '250 GB',
    rateMbit: 100,
    trafficGb: 250,
    priceCents: 100,
    osOptions: LINUX,
    specialNote: 'One per account',
  },
  {
    id: 'small',
    name: 'Small',
    description: 'A personal site, a VPN, a bot.',
    cpu: '1 CPU',
    ram: '2 GB RAM',
    storage: '40 GB SSD',
    bandwidth: '500 Mbit/s',
    traffic: '2 TB',
    rateMbit: 500,
    trafficGb: 2000,
    priceCents: 600,
    osOptions: LINUX,
  },
  {
    id: 'medium',
    name: 'Medium',
    description: 'A few services, or one that is busy.',
    cpu: '2 CPU',
    ram: '4 GB RAM',
    storage: '80 GB SSD',
    bandwidth: '1 Gbit/s',
    traffic: '4 TB',
    rateMbit: 1000,
    trafficGb: 4000,
    priceCents: 1200,
    popular: true,
    osOptions: [...LINUX, 'Windows Server 2025'],
  },
  {
    id: 'large',
    name: 'Large',
    description: 'Databases, builds, many users.',
    cpu: '4 CPU',
    ram: '8 GB RAM',
    storage: '160 GB SSD',
    bandwidth: '1 Gbit/s',
    traffic: '8 TB',
    rateMbit: 1000,
    trafficGb: 8000,
    priceCents: 2400,
    osOptions: [...LINUX, 'Windows Server 2025'],
  },
]
