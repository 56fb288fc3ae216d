import type { Generated } from 'kysely'
import type { AccountColumns } from '../../resources/account.ts'
import type { TokenColumns } from '../../resources/token.ts'
import type { BucketSize } from '../ports/availability.ts'
import type { Limits } from '../ports/catalog.ts'
import type { Ending, LedgerKind } from '../ports/records.ts'

type Status = 'active' | 'disabled'
/** SQLite has no booleans: 0 or 1. */
type Flag = number
/** JSON text. */
type Json = string
/** Columns that are named as the port names them. */
type Limited = { -readonly [Limit in keyof Limits]: Limits[Limit] }

interface AccountTable extends AccountColumns {
  id: Generated<number>
  email: string
  balance_nano: number
  reserved_nano: Generated<number>
  created_at: number
  deleted_at: number | null
  name: Generated<string>
  email_verified: Generated<Flag>
  two_factor_enabled: Generated<Flag>
  updated_at: number | null
}

export interface ChannelTable extends Limited {
  id: Generated<number>
  name: string
  status: Status
  speaks: Json
  keys_sealed: Uint8Array
  models: Json
  priority: number
  weight: number
  timeouts: Json
  allow_private: Flag
  created_at: number
  deleted_at: number | null
  quirks: Json
  draining: Flag
  proxy_sealed: Uint8Array | null
  probe: Json | null
}

export interface GroupTable extends Limited {
  id: Generated<number>
  name: string
  status: Status
  description: string
  platform: string
  multiplier_millionths: number
  models: Json
  long_context_pricing: Flag
  on_disconnect: 'bill_observed' | 'drain'
  accounts: Json | null
  tools: Json | null
  regions: Json | null
  created_at: number
  deleted_at: number | null
}

interface GroupChannelTable {
  group_id: number
  position: number
  channel_id: number
}

interface TokenTable extends TokenColumns {
  id: Generated<number>
  account_id: number
  group_id: number
  key_hash: string
  key_sealed: Uint8Array
  key_hint: string
  created_at: number
  deleted_at: number | null
}

export interface ModelPriceTable {
  id: Generated<number>
  model: string
  terms: Json
  source: 'config' | 'operator' | 'vendor'
  note: string
  valid_from: number
}

interface RequestTable {
  id: Generated<number>
  request_id: string
  created_at: number
  account_id: number
  token_id: number
  group_id: number
  model: string | null
  upstream_model: string | null
  channel_id: number | null
  client_protocol: string
  upstream_protocol: string | null
  operation: string
  stream: Flag
  status: number
  cause: string | null
  cause_text: string | null
  ending: Ending
  input_tokens: number
  output_tokens: number
  reasoning_tokens: number
  cache_read_tokens: number
  cache_write_tokens: number
  cache_write_1h_tokens: number
  calls: number
  estimated: Flag
  clamped: Flag
  usage_raw: Json | null
  extras: Json | null
  price_id: number | null
  tier_above: number | null
  long_context_pricing: Flag
  multiplier_millionths: number
  amount_nano: number
  first_byte_ms: number | null
  duration_ms: number
}

interface AttemptTable {
  request_row: number
  position: number
  channel_id: number
  started_at: number
  status: number | null
  cause: string | null
  first_byte_ms: number | null
  duration_ms: number
  upstream_request_id: string | null
  usage_raw: Json | null
}

interface ReservationTable {
  request_id: string
  created_at: number
  account_id: number
  token_id: number
  group_id: number
  model: string | null
  client_protocol: string
  operation: string
  stream: Flag
  price_id: number | null
  multiplier_millionths: number
  amount_nano: number
  node_id: number | null
}

interface LedgerTable {
  id: Generated<number>
  created_at: number
  account_id: number
  kind: LedgerKind
  amount_nano: number
  request_id: string | null
  reason: string | null
  idempotency_key: string | null
  balance_after_nano: number
}

interface UsageDayTable {
  token_id: number
  day: string
  model: string
  requests: number
  input_tokens: number
  output_tokens: number
  reasoning_tokens: number
  cache_read_tokens: number
  cache_write_tokens: number
  cache_write_1h_tokens: number
  amount_nano: number
  failed: number | null
  begun: number | null
  first_byte_ms: number | null
}

interface SettingTable {
  name: string
  value: Json
  updated_at: number
}

interface AuditTable {
  id: Generated<number>
  created_at: number
  actor: string
  action: string
  subject: string
  detail: Json
}

interface CoolingTable {
  channel_id: number
  key: string
  model: string
  cause: string
  since: number
  until: number
  rounds: number
}

interface AvailabilityTable {
  size: BucketSize
  started_at: number
  group_id: number
  model: string
  counts: Json
}

interface CredentialTable {
  id: Generated<number>
  account_id: number
  provider: string
  subject: string
  password_hash: string | null
  password_mark: string | null
  created_at: number
  updated_at: number
}

interface SessionTable {
  id: Generated<number>
  account_id: number
  token_hash: string
  expires_at: number
  created_at: number
  updated_at: number
  address: string | null
  user_agent: string | null
}

interface VerificationTable {
  id: Generated<number>
  identifier: string
  value: string
  expires_at: number
  created_at: number
  updated_at: number
}

interface TwoFactorTable {
  id: Generated<number>
  account_id: number
  secret: string
  backup_codes: string
  verified: Flag
  failed_count: Generated<number>
  locked_until: number | null
}

interface PasskeyTable {
  id: Generated<number>
  account_id: number
  name: string | null
  public_key: string
  credential_id: string
  counter: number
  device_type: string
  backed_up: Flag
  transports: string | null
  created_at: number | null
  aaguid: string | null
}

interface UsedCodeTable {
  account_id: number
  code_hash: string
  used_at: number
}

interface NodeTable {
  id: Generated<number>
  name: string
  version: string
  started_at: number
  seen_at: number
  load: Json
}

interface KeptAnswerTable {
  answer_id: string
  account_id: number
  channel_id: number
  key_mark: string
  context_tokens: number
  created_at: number
}

interface BackgroundAnswerTable {
  request_id: string
  asked_id: string
  answer_id: string
  created_at: number
  account_id: number
  token_id: number
  channel_id: number
  key_mark: string
  charge: Json
  due_at: number
}

interface ResponseTable {
  id: string
  account_id: number
  created_at: number
  size_bytes: number
  input: Uint8Array
  response: Uint8Array
}

interface ResponseShareTable {
  account_id: number
  size_bytes: number
}

/** The tables as the query builder knows them; the migrations are what makes them. */
export interface Tables {
  account: AccountTable
  channel: ChannelTable
  group: GroupTable
  group_channel: GroupChannelTable
  token: TokenTable
  model_price: ModelPriceTable
  request: RequestTable
  attempt: AttemptTable
  reservation: ReservationTable
  ledger: LedgerTable
  audit: AuditTable
  setting: SettingTable
  usage_day: UsageDayTable
  cooling: CoolingTable
  availability: AvailabilityTable
  credential: CredentialTable
  session: SessionTable
  verification: VerificationTable
  two_factor: TwoFactorTable
  passkey: PasskeyTable
  used_code: UsedCodeTable
  node: NodeTable
  kept_answer: KeptAnswerTable
  background_answer: BackgroundAnswerTable
  response: ResponseTable
  response_share: ResponseShareTable
}
