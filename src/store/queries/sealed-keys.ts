/** Keys of all channels and of the newest tokens, each with whose it is, in words of every engine. */
export const selectSealed = `
SELECT 'channel "' || name || '"' AS owner, keys_sealed AS sealed
FROM channel WHERE deleted_at IS NULL
UNION ALL SELECT * FROM (
  SELECT 'token ' || id, key_sealed FROM token WHERE deleted_at IS NULL ORDER BY id DESC LIMIT 100
) AS newest`
