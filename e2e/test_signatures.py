"""Signatures made by botocore, in all its forms, against a server that checks them."""

import hashlib
import json
import unittest
import unittest.mock
import urllib.error
import urllib.request
from datetime import timedelta

import botocore.auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials

from server import Server

TABLES = {"TableNames": ["MyApp", "Shop"]}
KEY = Credentials("AK", "secret")


def target(operation):
    return {"X-Amz-Target": f"DynamoDB_20120810.{operation}", "Content-Type": "application/x-amz-json-1.0"}


class Signatures(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = Server("--credential", "AK:secret")

    @classmethod
    def tearDownClass(cls):
        assert cls.server.stop() == 0

    def sent(self, request, body=None, headers=None):
        """Sends a signed request as whoever holds it would; gives back the status and the answer."""
        body = request.body if body is None else body
        given = {**dict(request.headers.items()), **(headers or {})}
        given.pop("Content-Length", None)
        plain = urllib.request.Request(request.url, data=body.encode(), headers=given, method="POST")
        try:
            with urllib.request.urlopen(plain, timeout=20) as answer:
                return answer.status, json.load(answer)
        except urllib.error.HTTPError as refused:
            return refused.code, json.load(refused)

    def presigned(self, operation="ListTables", expires=60, body="{}", **more):
        # botocore would move a body into the query, as the services want that take forms.
        request = AWSRequest("POST", self.server.endpoint + "/", headers={**target(operation), **more})
        signer = botocore.auth.SigV4QueryAuth(KEY, "dynamodb", "us-east-1", expires=expires)
        signer.payload = lambda _: hashlib.sha256(body.encode()).hexdigest()
        signer.add_auth(request)
        prepared = request.prepare()
        prepared.body = body
        return prepared

    def test_a_presigned_request_can_be_sent_by_others_as_it_is(self):
        self.assertEqual(self.sent(self.presigned()), (200, TABLES))
        # And again, while it holds.
        self.assertEqual(self.sent(self.presigned()), (200, TABLES))
        for what, arguments in {
            "another body": {"body": '{"Limit":1}'},
            "another operation": {"headers": target("DescribeLimits")},
        }.items():
            with self.subTest(what):
                status, told = self.sent(self.presigned(), **arguments)
                self.assertEqual((status, told["__type"].split("#")[1]), (400, "InvalidSignatureException"))

    def test_a_header_that_is_not_signed_is_not_believed(self):
        status, told = self.sent(self.presigned(), headers={"X-Amz-Security-Token": "x"})
        self.assertEqual((status, told["__type"].split("#")[1]), (400, "UnrecognizedClientException"))
        status, told = self.sent(self.presigned(), headers={"X-Amz-Other": "x"})
        self.assertEqual((status, told["__type"].split("#")[1]), (400, "IncompleteSignatureException"))

    def test_a_presigned_request_holds_for_its_time(self):
        now = botocore.auth.get_current_datetime()
        def at(moment, expires):
            with unittest.mock.patch("botocore.auth.get_current_datetime", lambda *_, **__: moment):
                return self.sent(self.presigned(expires=expires))
        self.assertEqual(at(now - timedelta(days=6), 604_800)[0], 200)
        status, told = at(now - timedelta(seconds=90), 60)
        self.assertEqual(status, 400)
        self.assertRegex(told["message"], r"^Signature expired: .* \(\d{8}T\d{6}Z - 1 min\.\)$")
        status, told = at(now + timedelta(minutes=20), 604_800)
        self.assertIn("Signature not yet current", told["message"])
        status, told = at(now, 604_801)
        self.assertEqual((status, told["__type"].split("#")[1]), (400, "IncompleteSignatureException"))

    def test_a_request_is_signed_once(self):
        signed = self.presigned()
        headers = {"Authorization": "AWS4-HMAC-SHA256 Credential=AK/20260101/us-east-1/dynamodb/aws4_request, SignedHeaders=host, Signature=00"}
        status, told = self.sent(signed, headers=headers)
        self.assertEqual((status, told["__type"].split("#")[1]), (400, "IncompleteSignatureException"))

    def test_a_query_beside_a_signed_header_is_signed(self):
        def signed(url):
            request = AWSRequest("POST", url, data="{}", headers=target("ListTables"))
            botocore.auth.SigV4Auth(KEY, "dynamodb", "us-east-1").add_auth(request)
            return request.prepare()
        request = signed(self.server.endpoint + "/?b=2&a=%20x")
        self.assertEqual(self.sent(request)[0], 200)
        request.url = request.url.replace("b=2", "b=3")
        self.assertEqual(self.sent(request)[1]["__type"].split("#")[1], "InvalidSignatureException")

    def test_a_body_can_be_left_out_of_a_signature(self):
        headers = {**target("ListTables"), "X-Amz-Content-SHA256": "UNSIGNED-PAYLOAD"}
        request = AWSRequest("POST", self.server.endpoint + "/", data="{}", headers=headers)
        signer = botocore.auth.SigV4Auth(KEY, "dynamodb", "us-east-1")
        signer.payload = lambda _: "UNSIGNED-PAYLOAD"
        signer.add_auth(request)
        prepared = request.prepare()
        self.assertEqual(self.sent(prepared), (200, TABLES))
        self.assertEqual(self.sent(prepared, body='{"Limit":2}'), (200, TABLES))
        prepared.headers["X-Amz-Content-SHA256"] = "0" * 64
        self.assertEqual(self.sent(prepared)[1]["__type"].split("#")[1], "InvalidSignatureException")


if __name__ == "__main__":
    unittest.main()
