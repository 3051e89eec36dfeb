/**
 * Where keys may be sent: by https to any address but those that a provider never has, in the clear
 * only on this machine and in the operator's own network.
 */
export const PROVIDER_REACH = { allowsLoopback: true, allowsPlainInside: true }
