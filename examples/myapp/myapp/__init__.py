"""MyApp: users, their orders and addresses, and products, in one table of DynamoDB.

`model.py` is generated of the model; `service.py` has the operations for programs that block,
`api.py` those of a web server, and `handler.py` reacts to the table's stream.
"""
