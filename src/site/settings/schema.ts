import { type Static, type TSchema, Type } from '@sinclair/typebox'
import { successful } from '../schemas.ts'

const orNull = <Schema extends TSchema>(schema: Schema, description: string) =>
  Type.Union([schema, Type.Null()], { description })
const url = (description: string) => orNull(Type.String({ format: 'uri' }), description)
const text = (description: string) => orNull(Type.String(), description)

const CustomEndpoint = Type.Object(
  {
    name: Type.String({ description: 'What it is called.' }),
    endpoint: Type.String({ format: 'uri', description: 'Its address.' }),
    description: Type.String({ description: 'What it is for; may be empty.' }),
  },
  { description: 'Another address of this site.' },
)

/** The public settings. Unknown ones are null. */
export const PublicSettings = Type.Object(
  {
    site_name: Type.String({ description: 'Name of the gateway.' }),
    site_logo: url('Address of its logo.'),
    site_accent: text('Colour of its links and buttons, #rrggbb; null: the usual one.'),
    site_subtitle: text('A line below its name.'),
    version: Type.String({ description: 'Version of the program.' }),
    api_base_url: url('Address that clients use, without /v1.'),
    overseas_base_url: url('The same for clients outside mainland China.'),
    status_url: url('Address of the status page.'),
    price_feed_url: url('Main address of the price feed.'),
    price_backup_url: url('Second address of the price feed, with the same content.'),
    custom_endpoints: Type.Array(CustomEndpoint, { description: 'Other addresses of this site.' }),
    doc_url: url('Address of the documentation for users.'),
    contact_info: text('How to reach the operator.'),
    registration_enabled: Type.Boolean({ description: 'Whether strangers may open an account.' }),
    model_plaza_enabled: Type.Boolean({ description: 'Whether there is a model plaza.' }),
    model_plaza_require_auth: Type.Boolean({ description: 'Whether the plaza needs a key.' }),
    balance_low_notify_enabled: Type.Boolean({
      description: 'Whether accounts are notified when their balance is low.',
    }),
    balance_low_notify_threshold: Type.Number({
      minimum: 0,
      description: 'USD below which a balance counts as low.',
    }),
    server_timezone: Type.String({ description: 'IANA time zone of the server.' }),
    server_utc_offset: Type.String({
      pattern: '^[+-]\\d\\d:\\d\\d$',
      description: 'Its offset from UTC at present, such as +08:00.',
    }),
  },
  { description: 'Switches and addresses that everybody may know.' },
)
export type PublicSettings = Static<typeof PublicSettings>

/** The answer around them. */
export const SettingsDocument = successful(PublicSettings, {
  title: 'Public settings',
  description: 'Switches and addresses of the site. Readers tolerate missing and new fields.',
})
