using Mono.Cecil;
using Mono.Cecil.Cil;

namespace Messaging.Tests.Architecture;

/// <summary>Which namespaces of one assembly use which: by base types, members, attributes and code, read from the compiled assembly.</summary>
internal sealed class NamespaceGraph
{
    private readonly SortedDictionary<string, SortedSet<string>> _uses = new(StringComparer.Ordinal);
    private readonly AssemblyDefinition _assembly;

    private NamespaceGraph(AssemblyDefinition assembly)
    {
        _assembly = assembly;
        foreach (TypeDefinition type in assembly.MainModule.GetTypes())
        {
            Add(type);
        }
    }

    public static NamespaceGraph Read(string path)
    {
        using AssemblyDefinition assembly = AssemblyDefinition.ReadAssembly(path);
        return new NamespaceGraph(assembly);
    }

    /// <summary>
    /// The uses that lie on a cycle, such as <c>Quayside.Messaging.Intake -> Quayside.Messaging.Routes</c>: their two namespaces reach each other.
    /// </summary>
    public IReadOnlyList<string> Cycles() =>
    [
        .. from use in _uses
           from used in use.Value
           where Reaches(used, use.Key)
           select $"{use.Key} -> {used}",
    ];

    private bool Reaches(string from, string to)
    {
        HashSet<string> seen = [];
        Stack<string> open = new([from]);
        while (open.TryPop(out string? next))
        {
            if (next == to)
            {
                return true;
            }

            if (seen.Add(next) && _uses.TryGetValue(next, out SortedSet<string>? used))
            {
                foreach (string one in used)
                {
                    open.Push(one);
                }
            }
        }

        return false;
    }

    private void Add(TypeDefinition type)
    {
        string user = NamespaceOf(type);
        Use(user, type.BaseType);
        foreach (InterfaceImplementation implemented in type.Interfaces)
        {
            Use(user, implemented.InterfaceType);
        }

        foreach (CustomAttribute attribute in type.CustomAttributes.Concat(type.Properties.SelectMany(property => property.CustomAttributes)))
        {
            Use(user, attribute.AttributeType);
        }

        foreach (GenericParameterConstraint constraint in type.GenericParameters.SelectMany(parameter => parameter.Constraints))
        {
            Use(user, constraint.ConstraintType);
        }

        foreach (FieldDefinition field in type.Fields)
        {
            Use(user, field.FieldType);
        }

        foreach (MethodDefinition method in type.Methods)
        {
            Use(user, method.ReturnType);
            foreach (ParameterDefinition parameter in method.Parameters)
            {
                Use(user, parameter.ParameterType);
            }

            if (method.HasBody)
            {
                Add(user, method.Body);
            }
        }
    }

    private void Add(string user, MethodBody body)
    {
        foreach (VariableDefinition variable in body.Variables)
        {
            Use(user, variable.VariableType);
        }

        foreach (ExceptionHandler handler in body.ExceptionHandlers)
        {
            Use(user, handler.CatchType);
        }

        foreach (Instruction instruction in body.Instructions)
        {
            switch (instruction.Operand)
            {
                case TypeReference type:
                    Use(user, type);
                    break;
                case MemberReference member:
                    Use(user, member.DeclaringType);
                    if (member is GenericInstanceMethod generic)
                    {
                        foreach (TypeReference argument in generic.GenericArguments)
                        {
                            Use(user, argument);
                        }
                    }

                    break;
            }
        }
    }

    private void Use(string user, TypeReference? used)
    {
        if (used is GenericInstanceType generic)
        {
            foreach (TypeReference argument in generic.GenericArguments)
            {
                Use(user, argument);
            }
        }

        // Of this assembly, whose names the compiler's own types have none of.
        if (used?.GetElementType() is { } type && type.Scope == _assembly.MainModule && !type.IsGenericParameter
            && NamespaceOf(type) is { Length: > 0 } space && user.Length > 0 && space != user)
        {
            if (!_uses.TryGetValue(user, out SortedSet<string>? uses))
            {
                _uses.Add(user, uses = new SortedSet<string>(StringComparer.Ordinal));
            }

            uses.Add(space);
        }
    }

    private static string NamespaceOf(TypeReference type)
    {
        while (type.DeclaringType is { } outer)
        {
            type = outer;
        }

        return type.Namespace;
    }
}
