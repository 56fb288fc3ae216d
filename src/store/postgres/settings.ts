/** Settings of the server for a connection, by their names there: `statement_timeout`, `jit` … */
export type Settings = Readonly<Record<string, string | number>>

/**
 * The statement by which a connection gets them. Not by its address: poolers refuse options that they do
 * not know. What the server does not know is left out: old ones have fewer.
 */
export function setSettings(settings: Settings) {
  const values = [JSON.stringify(settings)]
  const text = `SELECT set_config(name, wanted.value, false)
    FROM json_each_text($1::json) AS wanted (name, value) JOIN pg_settings USING (name)`
  return { text, values }
}
