import type { PersonalField } from '#shared/api/overview/system.ts'

/**
 * Every column about a person: its purpose, and how long it is kept. A test compares this list with
 * the schema, so that no new column of an account is forgotten.
 */
export const PERSONAL_DATA: Record<string, Omit<PersonalField, 'subject' | 'field'>> = {
  'users.username': {
    purpose: 'The number you sign in with. Random, says nothing about you.',
    retention: 'Until the account is deleted; the bare number is kept so that it is never reused.',
  },
  'users.email': {
    purpose: 'Only for accounts an administrator made with an e-mail address, to sign in with it.',
    retention: 'Until the account is deleted. Anonymous accounts have none.',
  },
  'users.first_name': {
    purpose: 'Only where an administrator entered it.',
    retention: 'Until the account is deleted. Anonymous accounts have none.',
  },
  'users.last_name': {
    purpose: 'Only where an administrator entered it.',
    retention: 'Until the account is deleted. Anonymous accounts have none.',
  },
  'users.mobile_number': {
    purpose: 'Only where an administrator entered it.',
    retention: 'Until the account is deleted. Anonymous accounts have none.',
  },
  'users.password_hash': {
    purpose: 'Checks your password (argon2id). The password itself is not stored.',
    retention: 'Until you change it or the account is deleted.',
  },
  'users.stripe_customer_id': {
    purpose: 'Only where you pay by card: the number our payment provider gave you.',
    retention: 'Until the account is deleted.',
  },
  'users.device_hash': {
    purpose:
      'One account per device: a keyed hash of your browser’s identifier, which we cannot turn back.',
    retention: 'Until the account is deleted or an administrator releases the device.',
  },
  'users.registration_ip': {
    purpose:
      'Against mass registration: the network (/24 or /48) you registered from. Operators can see it. None over an onion address.',
    retention: '30 days.',
  },
  'sessions.token_hash': {
    purpose: 'Keeps you signed in: a hash of the cookie in your browser.',
    retention: 'Until you sign out; at most 30 days, or 24 hours unused.',
  },
  'sessions.device': {
    purpose: 'Lets you recognise your sessions, such as "Firefox on Linux".',
    retention: 'As long as the session.',
  },
  'sessions.last_seen_at': {
    purpose: 'Ends sessions nobody uses.',
    retention: 'As long as the session.',
  },
  'limits.key': {
    purpose:
      'Against guessing of passwords and mass registration: a keyed hash of your network, which we cannot turn back.',
    retention: 'At most a day.',
  },
  'audit_log.actor_id': {
    purpose: 'Which account signed in or changed something. No address, no content.',
    retention:
      'Removed when the account is deleted, with the key that could prove it; the entry itself is kept two years.',
  },
  'audit_log.admin_id': {
    purpose: 'Which administrator acted as a client.',
    retention: 'As above.',
  },
  'orders.user_id': {
    purpose: 'Which account ordered what.',
    retention: 'The link is removed when the account is deleted.',
  },
  'orders.coupon': {
    purpose: 'The code of a coupon that you used, because the price of the order follows from it.',
    retention: 'Kept with the order, whose link is removed when the account is deleted.',
  },
  'ledger.user_id': {
    purpose: 'Whose credit it is: what you paid too much, too late or got back.',
    retention: 'The link is removed when the account is deleted; the amounts are kept.',
  },
  'orders.provider_customer_id': {
    purpose: 'Only where you pay by card: finds your payment at the provider.',
    retention: 'Until the account is deleted.',
  },
  'tokens.assigned_user_id': {
    purpose: 'Which account a server belongs to.',
    retention: 'The link is removed when the account is deleted.',
  },
  'instances.owner_id': {
    purpose: 'Which account a server belongs to.',
    retention: 'The link is removed when the account is deleted.',
  },
  'subscriptions.user_id': {
    purpose: 'Only where you pay by card, regularly.',
    retention:
      'The link is removed when the account is deleted, and the payment is ended at the provider.',
  },
  'subscriptions.customer_id': {
    purpose: 'Only where you pay by card, regularly.',
    retention: 'Until the provider has ended it after the account is deleted.',
  },
  'console_tickets.user_id': {
    purpose: 'Opens the screen of your server once.',
    retention: 'One minute.',
  },
  'jobs.owner_id': {
    purpose: 'Whom to show the progress of work on a server.',
    retention: 'The link is removed when the account is deleted, here and in the job’s input.',
  },
  'ssh_keys.user_id': {
    purpose: 'Which account a public key belongs to.',
    retention: 'Until you remove the key or the account is deleted.',
  },
  'ssh_keys.name': {
    purpose: 'Lets you tell your public keys apart. You choose it.',
    retention: 'Until you remove the key or the account is deleted.',
  },
  'ssh_keys.public_key': {
    purpose:
      'Lets you into the servers you order, without its comment. We never have the private half.',
    retention: 'Until you remove the key or the account is deleted.',
  },
  'ssh_keys.fingerprint': {
    purpose: 'Names a public key in lists, as ssh-keygen prints it.',
    retention: 'Until you remove the key or the account is deleted.',
  },
  'webhooks.user_id': {
    purpose:
      'Only if you set one up: the address of yours that is told what happens, encrypted, and what it was told.',
    retention: 'Until you remove it or the account is deleted; what it was told, 30 days.',
  },
  'api_keys.user_id': {
    purpose: 'Which account an API key belongs to. Of the key itself only a keyed hash is stored.',
    retention: 'Until you revoke the key or the account is deleted.',
  },
  'api_keys.name': {
    purpose: 'Lets you tell your API keys apart. You choose it.',
    retention: 'Until you revoke the key or the account is deleted.',
  },
  'api_keys.cidrs': {
    purpose: 'The networks an API key can be used from. You choose them.',
    retention: 'Until you revoke the key or the account is deleted.',
  },
  'api_keys.last_used_on': {
    purpose: 'The day an API key was last used on, so that you find unused ones.',
    retention: 'Until you revoke the key or the account is deleted.',
  },
  'passkeys.user_id': {
    purpose:
      'Only if you add one: which account a passkey belongs to. We ask for no model and no maker of a device.',
    retention: 'Until you remove it, turn your second factor off, or the account is deleted.',
  },
  'passkeys.name': {
    purpose: 'Lets you tell your passkeys apart. You choose it; your device shows it, too.',
    retention: 'As long as the passkey.',
  },
  'passkeys.public_key': {
    purpose: 'Checks that it is your passkey. We never have the private half.',
    retention: 'As long as the passkey.',
  },
  'passkeys.last_used_on': {
    purpose: 'The day a passkey was last used on, so that you find unused ones.',
    retention: 'As long as the passkey.',
  },
  'passkey_challenges.user_id': {
    purpose: 'What your passkey is asked to sign, once.',
    retention: 'Five minutes, or until it is signed.',
  },
  'instances.label': {
    purpose: 'What you call a server.',
    retention: 'Until you change it, the server is deleted or the account is deleted.',
  },
  'instances.hostname': {
    purpose: 'The hostname you chose for a server. It is also the name of its VM in the cluster.',
    retention:
      'Here until you change it, the server is deleted or the account is deleted; in the cluster until the server is deleted.',
  },
  'own_isos.url': {
    purpose: 'Where the image of your own that you put into a server was downloaded from.',
    retention:
      '14 days, or as long as it is in the drive; less if you put in another one, hand the server over or it is deleted.',
  },
  'firewalls.confirmed': {
    purpose:
      'The rules you gave a server, with the addresses and comments in them. Its cluster gets the addresses, not the comments.',
    retention: 'Until you change them, hand the server over, or it or the account is deleted.',
  },
  'firewalls.trial': {
    purpose: 'Rules you are trying on a server.',
    retention: 'A minute; then they are confirmed or taken back.',
  },
  'firewalls.reverted': {
    purpose: 'The rules you tried last, if they were taken back: to try them again.',
    retention: 'Until you try others, hand the server over, or it or the account is deleted.',
  },
  'reverse_names.owner_id': {
    purpose: 'Ends the reverse name you chose when the server goes to another account.',
    retention: 'Until the server ends or goes to another account, or the account is deleted.',
  },
  'reverse_names.hostname': {
    purpose:
      'The reverse name you chose for an address of your server. Everybody can look it up: that is its purpose.',
    retention:
      'Here and in the DNS until you change it, or the server ends or goes to another account.',
  },
  'orders.setup': {
    purpose:
      'The label, hostname and public keys you chose for a server you ordered, and until it starts, sealed, the start-up script.',
    retention: 'Until the account is deleted.',
  },
  'server_keys.public_key': {
    purpose: 'Which public keys a server was made with.',
    retention: 'Until the server is deleted.',
  },
  'host_keys.public_key': {
    purpose:
      'The public SSH keys your server shows to everyone who connects, so that you can compare them.',
    retention: 'Until the server is deleted.',
  },
  'users.is_look_alike': {
    purpose: 'Whether another account has the same device; such an account has no free trial.',
    retention: 'Until the account is deleted.',
  },
  'users.audit_key': {
    purpose: 'A random key that seals your account in the log of changes.',
    retention: 'Destroyed when the account is deleted: no entry can be traced to it afterwards.',
  },
  'audit_log.subject_id': {
    purpose: 'Which account something was done to, such as a new password.',
    retention: 'As above.',
  },
  'failed_logins.user_id': {
    purpose:
      'How many sign-ins to your account failed in an hour, so that you can see it. No address.',
    retention: '30 days, or until the account is deleted.',
  },
  'handover_codes.giver_id': {
    purpose: 'Which account made the code with which a server can be taken over.',
    retention: 'One day, or until the code is used or withdrawn.',
  },
  'handovers.giver_id': {
    purpose:
      'Which account handed a server over, because its payments are for that server. Not to whom.',
    retention: 'Until the server is deleted; the link is removed when the account is deleted.',
  },
  'second_factors.user_id': {
    purpose:
      'Only if you set it up: the encrypted secret that your app makes its codes from, and when it was last used.',
    retention: 'Until you switch it off or the account is deleted.',
  },
  'recovery_codes.user_id': {
    purpose: 'Hashes of the recovery codes you have left, to let you in without your app.',
    retention: 'Until a code is used, you make new ones, or the account is deleted.',
  },
  'recovery_kits.user_id': {
    purpose: 'Only if you made one: checks the twelve words of your recovery kit (argon2id).',
    retention: 'Until you make a new kit or the account is deleted.',
  },
  'recoveries.user_id': {
    purpose: 'A recovery that has been started: the hash of the new password, and when it begins.',
    retention: 'Until it takes effect or is stopped.',
  },
  'payment_links.user_id': {
    purpose:
      'Only if you made one: a hash of the link with which anyone can pay for your server, without your name on it.',
    retention: 'Until you remove it, hand the server over, or it or the account is deleted.',
  },
  'idempotency_keys.user_id': {
    purpose: 'Keeps a second press of a button from paying twice.',
    retention: 'One day, or until the account is deleted.',
  },
}

export const personalFields = (): PersonalField[] =>
  Object.entries(PERSONAL_DATA).map(([column, facts]) => {
    const [subject = '', field = ''] = column.split('.')
    return { subject, field, ...facts }
  })
