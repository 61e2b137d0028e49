"""What MyApp has on its first day."""

from __future__ import annotations

from datetime import date, datetime, timezone
from decimal import Decimal

from myapp.model import (
    AsyncMyappClient,
    NewAddress,
    NewOrderItem,
    NewProduct,
    NewUser,
    OrderId,
    Sku,
    UserId,
)

USERS = [(42, "ada@example.com", "Ada"), (43, "grace@example.com", "Grace")]
PRODUCTS = [
    ("SKU-123", "Fountain pen", "49.00", 20),
    ("SKU-124", "Blue-black ink", "12.50", 60),
    ("SKU-125", "Dotted notebook", "16.90", 3),
]
ORDERS = [(1001, 42, "SKU-123", 1), (1002, 42, "SKU-124", 2), (1003, 43, "SKU-125", 1)]


async def seed(client: AsyncMyappClient) -> None:
    """Fills an empty table. One that has its users stays as it is."""
    if await client.user(user_id=UserId(USERS[0][0])) is not None:
        return
    prices = {}
    for sku, name, price, stock in PRODUCTS:
        prices[sku] = Decimal(price)
        product = NewProduct(sku=Sku(sku), name=name, price=prices[sku], stock=stock)
        await client.Product.put(product)
    now = datetime.now(timezone.utc).replace(microsecond=0)
    for number, email, name in USERS:
        user_id = UserId(number)
        await client.Address.put(
            NewAddress(user_id=user_id, label="home", street="Storgata 1", city="Bodø")
        )
        user = NewUser(user_id=user_id, email=email, name=name, created_at=now)
        await client.User.create(user)
    for number, buyer, sku, quantity in ORDERS:
        placed = client.part.place_order(
            order_id=OrderId(number),
            user_id=UserId(buyer),
            order_date=date(2026, 11, number - 1000),
            total=prices[sku] * quantity,
            status="pending",
            sku=Sku(sku),
            quantity=quantity,
        )
        line = NewOrderItem(
            order_id=OrderId(number), line=1, sku=Sku(sku), quantity=quantity
        )
        await client.transact([placed, client.OrderItem.part.create(line)])
