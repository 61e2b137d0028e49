;;; keyfold-mode.el --- The Keyfold model language  -*- lexical-binding: t; -*-

;;; Commentary:
;; Highlights models; `keyfold fmt' formats them.

;;; Code:

(defconst keyfold-declarations '("model" "owner" "use" "shared" "record" "table" "entity" "view" "pattern" "write"))
(defconst keyfold-members '("key" "id" "gsi" "lsi" "copy" "unique" "ttl" "version" "count" "sum" "min" "max" "average" "distinct" "top" "split" "compress" "unstored" "expect" "from" "capacity" "stream" "point" "deletion" "class" "tags" "create" "put" "update" "delete" "check"))
(defconst keyfold-modifiers '("type" "join" "left" "back" "per" "project" "all" "keys" "on" "demand" "read" "then" "in" "of" "by" "only" "where" "sparse" "when" "shard" "bucket" "hour" "day" "month" "year" "items" "bytes" "writes" "second" "was" "starts" "contains" "filter" "newest" "oldest" "highest" "lowest" "ascending" "descending" "page" "strong" "scan" "batch" "as" "fetch" "set" "else" "remove" "for" "each" "and" "or" "not" "exists" "missing" "size" "kind" "recovery" "protection" "standard" "infrequent" "access" "images" "old" "at" "percent"))
(defconst keyfold-types '("string" "int" "number" "bool" "time" "date" "binary" "ulid" "uuid" "list" "map" "set" "s" "ms" "us" "ns" "now" "new" "always" "true" "false"))
(defconst keyfold-formats '("reverse" "signed" "hour" "day" "date" "month" "year" "lower" "hash" "escape"))

(defconst keyfold-font-lock-keywords
  `((,(concat "^" (regexp-opt keyfold-declarations 'words)) . font-lock-keyword-face)
    (,(concat "^[ \t]+" (regexp-opt keyfold-members 'words)) . font-lock-builtin-face)
    (,(concat ":" (regexp-opt keyfold-formats) "\\>") . font-lock-constant-face)
    (,(concat ":[ \t]*" (regexp-opt keyfold-types 'words)) 1 font-lock-type-face)
    ("{\\([A-Za-z_][A-Za-z0-9_]*\\)" 1 font-lock-variable-name-face t)
    (,(regexp-opt keyfold-modifiers 'words) . font-lock-function-name-face)))

;;;###autoload
(define-derived-mode keyfold-mode prog-mode "Keyfold"
  "Major mode for models of Keyfold."
  (setq-local comment-start "# ")
  (setq-local indent-tabs-mode nil)
  (modify-syntax-entry ?# "<" keyfold-mode-syntax-table)
  (modify-syntax-entry ?\n ">" keyfold-mode-syntax-table)
  (setq-local font-lock-defaults '(keyfold-font-lock-keywords)))

;;;###autoload
(add-to-list 'auto-mode-alist '("\\.keyfold\\'" . keyfold-mode))

(provide 'keyfold-mode)
;;; keyfold-mode.el ends here
