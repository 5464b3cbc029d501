# One line per skipped test, with the reason, from ctest's LastTest.log.
/^[0-9]+\/[0-9]+ Testing: / { name = $3; reason = "no reason given" }
take && NF { reason = $0; take = 0 }
/: Skipped$/ { take = 1 }  # GoogleTest: the reason is on the next line
/^skipped: / { reason = $0 }
/^Test Skipped/ { sub(/^skipped: /, "", reason); print "Skipped " name ": " reason }
