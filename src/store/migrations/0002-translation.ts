/**
 * What translation between protocols heeds: how the upstream of a channel differs from the vendor
 * of its protocol, and tokens that refuse what would be left out.
 */
export const translationColumns = `
-- A list of names.
ALTER TABLE channel ADD COLUMN quirks TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(quirks));
ALTER TABLE token ADD COLUMN strict INTEGER NOT NULL DEFAULT 0 CHECK (strict IN (0, 1));
`
