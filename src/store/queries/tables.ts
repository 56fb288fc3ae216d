import type { Generated } from 'kysely'
import type { AccountColumns } from '../../resources/account.ts'
import type { TokenColumns } from '../../resources/token.ts'
import type { BackgroundAnswer, KeptAnswer, KeptResponse } from '../ports/answers.ts'
import type { BucketSize } from '../ports/availability.ts'
import type { Limits } from '../ports/catalog.ts'
import type { CoolingRow } from '../ports/health.ts'
import type { AttemptRow, LedgerKind, RequestRow, Reservation } from '../ports/records.ts'

type Status = 'active' | 'disabled'
/** SQLite has no booleans: 0 or 1. */
type Flag = number
/** JSON text. */
type Json = string
/** `requestId` → `request_id`, `cacheWrite1hTokens` → `cache_write_1h_tokens`. */
type Snake<Name extends string> = Name extends `${infer Head}${infer Rest}`
  ? `${Head extends Uppercase<Head> ? `_${Lowercase<Head>}` : Head}${Snake<Rest>}`
  : ''
/** A row of a port as its columns: flags are numbers. */
type Columns<Row> = {
  -readonly [Field in keyof Row & string as Snake<Field>]: Row[Field] extends boolean
    ? Flag
    : Row[Field]
}
type Limited = Columns<Limits>

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

interface RequestTable extends Columns<Omit<RequestRow, 'extrasJson'>> {
  id: Generated<number>
  extras: Json | null
}

interface AttemptTable extends Columns<AttemptRow> {
  request_row: number
  position: number
}

interface ReservationTable extends Columns<Omit<Reservation, 'isOpen'>> {
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

interface KeptAnswerTable extends Columns<Omit<KeptAnswer, 'id'>> {
  answer_id: string
}

interface BackgroundAnswerTable extends Columns<BackgroundAnswer> {
  due_at: number
}

interface ResponseTable extends Columns<KeptResponse> {
  created_at: number
  size_bytes: number
}

interface ResponseShareTable {
  account_id: number
  size_bytes: number
}

/** The tables as the query builder knows them; the schema is what makes them. */
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
  cooling: Columns<CoolingRow>
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
