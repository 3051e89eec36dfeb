import type { OperatingSystem } from '#shared/api/servers/operating-systems.ts'
import { type Package, PackageCreate } from '#shared/api/shop/packages.ts'

/** As typed: the price is a string until it is sent. */
export type PackageFields = {
  name: string
  description: string
  cpu: string
  ram: string
  storage: string
  bandwidth: string
  traffic: string
  price: string
  popular: boolean
  active: boolean
  osOptions: string[]
  specialNote: string
}

export const EMPTY_PACKAGE: PackageFields = {
  name: '',
  description: '',
  cpu: '',
  ram: '',
  storage: '',
  bandwidth: '',
  traffic: '',
  price: '',
  popular: false,
  active: true,
  osOptions: ['Ubuntu 22.04'],
  specialNote: '',
}

export const fieldsOf = (plan: Package): PackageFields => ({
  name: plan.name,
  description: plan.description ?? '',
  cpu: plan.cpu,
  ram: plan.ram,
  storage: plan.storage,
  bandwidth: plan.bandwidth ?? '',
  traffic: plan.traffic ?? '',
  price: String(plan.price),
  popular: plan.popular,
  active: plan.active,
  osOptions: plan.osOptions,
  specialNote: plan.specialNote ?? '',
})

/** A copy to start from; off sale until an operator has checked it. */
export const copyOf = (plan: Package): PackageFields => ({
  ...fieldsOf(plan),
  name: `${plan.name} (copy)`,
  active: false,
})

/** The body of the call. An empty price is not a number: the schema says so. */
export const bodyOf = ({ price, ...rest }: PackageFields) => ({
  ...rest,
  price: price.trim() === '' ? Number.NaN : Number(price),
})

export const checkPackage = (fields: PackageFields) => PackageCreate.safeParse(bodyOf(fields))

/** The active systems, and those already chosen for this package. */
export function osChoices(systems: readonly OperatingSystem[], chosen: readonly string[]) {
  const active = systems.filter(({ isActive }) => isActive).map(({ name }) => name)
  return [...new Set([...active, ...chosen])]
}
