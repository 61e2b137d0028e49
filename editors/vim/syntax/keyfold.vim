" The Keyfold model language. The article in `20 writes a second` stays plain.
if exists("b:current_syntax")
  finish
endif

syntax match keyfoldComment "#.*$"
syntax match keyfoldField "{[^}]*}" contained
syntax region keyfoldTemplate start=+"+ end=+"+ oneline contains=keyfoldField
syntax match keyfoldBareField "{[^}]*}"
syntax match keyfoldNumber "\<[0-9][0-9_]*\(\.[0-9]\+\)\?\>"
syntax match keyfoldDeclaration "^\(shared\s\+\)\?\(model\|owner\|use\|record\|table\|entity\|view\|pattern\|write\)\>"
syntax keyword keyfoldMember key id gsi lsi copy unique ttl version count sum min max average distinct top split compress unstored expect from capacity stream point deletion class tags create put update delete check
syntax keyword keyfoldModifier type join left back per project all keys on demand read then in of by only where sparse when shard bucket hour day month year items bytes writes second was starts contains filter newest oldest highest lowest ascending descending page strong scan batch as fetch set else remove for each and or not exists missing size kind recovery protection standard infrequent access images old at percent
syntax keyword keyfoldType string int number bool time date binary ulid uuid list map set s ms us ns now new always true false
syntax keyword keyfoldFormat reverse signed hour day date month year lower hash escape contained containedin=keyfoldField,keyfoldBareField

highlight default link keyfoldComment Comment
highlight default link keyfoldTemplate String
highlight default link keyfoldField Special
highlight default link keyfoldBareField Special
highlight default link keyfoldNumber Number
highlight default link keyfoldDeclaration Structure
highlight default link keyfoldMember Keyword
highlight default link keyfoldModifier Statement
highlight default link keyfoldType Type
highlight default link keyfoldFormat SpecialChar

setlocal commentstring=#\ %s
let b:current_syntax = "keyfold"
