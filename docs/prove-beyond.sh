#!/usr/bin/env bash
# Proves Keyfold's models at another engine, and moves a table there and back:
#   docs/prove-beyond.sh dynamodb://eu-west-1?profile=NAME
# It makes tables of its own and deletes them; others are not touched. Each step says first what it
# costs. KEYFOLD is the command (`keyfold`), ITEMS the number of items of each proof (50).
set -euo pipefail
there=${1:?a connection, such as dynamodb://eu-west-1?profile=NAME or http://127.0.0.1:8000}
keyfold=${KEYFOLD:-keyfold}
models=$(cd "$(dirname "$0")/../models" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

echo "== 1. each pattern and write of the models, compared with SQL"
for model in bookmarks shop santa freight; do
  "$keyfold" prove "$models/$model.keyfold" --endpoint "$there" --items "${ITEMS:-50}" --asks 10 --yes
done

echo "== 2. a table moves there, is compared item by item, and comes back"
cat > "$work/beyond.keyfold" <<'MODEL'
model beyond 1
table KeyfoldBeyond (PK, SK)
  gsi GSI1 (GSI1PK, GSI1SK)
entity Reader
  readerId: string, email: string, city: string, visits: number
  key  "READER#{readerId}" "PROFILE"
  GSI1 "CITY#{city}" "{readerId}"
  unique email
pattern reader(readerId) -> Reader
pattern readers_in(city) -> Reader[]
MODEL
for n in $(seq 1 "${ITEMS:-50}"); do
  "$keyfold" put "$work/beyond.keyfold" Reader --data "$work/here" \
    readerId="r$n" email="r$n@example.com" city="c$((n % 5))" visits="1e-$n"
done > "$work/put"
# The tables are new in the target: the move refuses a table that exists.
"$keyfold" move "keyfold:$work/here" "$there" --follow --stop-when-even --yes
"$keyfold" move verify "keyfold:$work/here" "$there"
"$keyfold" run "$work/beyond.keyfold" readers_in city=c1 --endpoint "$there"
"$keyfold" move "$there" "keyfold:$work/back" --table KeyfoldBeyond --writers-stopped --stop-when-even
"$keyfold" move verify "keyfold:$work/here" "keyfold:$work/back"

echo "== 3. programs are switched there and back, where the engine has resource-based policies"
writes() {
  "$keyfold" put "$work/beyond.keyfold" Reader "readerId=$1" "email=$1@example.com" city=c1 visits=1 "${@:2}"
}
refuses() {
  if writes "$@"; then
    echo "a write was taken where it should have been refused" >&2
    exit 1
  fi
}
if "$keyfold" move switch "keyfold:$work/here" "$there" --stop-when-switched --yes 2> "$work/said"; then
  refuses late --data "$work/here"
  writes new --endpoint "$there"
  "$keyfold" move reverse "keyfold:$work/here" "$there" --stop-when-switched --yes
  refuses late --endpoint "$there"
  writes old --data "$work/here"
  "$keyfold" run "$work/beyond.keyfold" reader readerId=new --data "$work/here"
  "$keyfold" move resume "keyfold:$work/here" "$there" --stop-when-even --yes
  "$keyfold" move verify "keyfold:$work/here" "$there"
  echo "both sides took writes in turn, and refused them"
elif grep -qE "policy|policies" "$work/said"; then
  cat "$work/said"
else
  cat "$work/said" >&2
  exit 1
fi

echo "== 4. what was made there is deleted"
"$keyfold" move abort "keyfold:$work/here" "$there" --yes
echo "proved, moved there and back, and removed"
