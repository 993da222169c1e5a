using System.Text.RegularExpressions;
using Mono.Cecil;
using Mono.Cecil.Cil;
using Mono.Cecil.Rocks;

namespace Proof.Fuzz.Coverage;

/// <summary>
/// Rewrites the IL of parsers: each basic block sets a byte of its own when it is entered. The bytes of a type, with its nested types, are
/// an array in a static field named after the type, of the class <see cref="Holder"/> that each rewritten assembly gets.
/// </summary>
internal static partial class BlockMarks
{
    /// <summary>The class with an array per type.</summary>
    public const string Holder = "BlockMarks";

    /// <summary>Rewrites one assembly.</summary>
    /// <param name="path">The assembly; its symbols are beside it.</param>
    /// <param name="types">Full names of the types whose blocks are marked.</param>
    /// <returns>The assembly and its symbols, from their start.</returns>
    public static (Stream Assembly, Stream Symbols) Rewrite(string path, IReadOnlySet<string> types)
    {
        using ModuleDefinition module = Open(path);
        TypeDefinition holder = new(string.Empty, Holder, TypeAttributes.Public | TypeAttributes.Abstract | TypeAttributes.Sealed | TypeAttributes.BeforeFieldInit, module.TypeSystem.Object);
        MethodDefinition initializer = new(".cctor", MethodAttributes.Static | MethodAttributes.Private | MethodAttributes.SpecialName | MethodAttributes.RTSpecialName | MethodAttributes.HideBySig, module.TypeSystem.Void);
        holder.Methods.Add(initializer);
        foreach (TypeDefinition type in module.Types.Where(type => types.Contains(type.FullName)))
        {
            FieldDefinition marks = new(type.FullName, FieldAttributes.Public | FieldAttributes.Static | FieldAttributes.InitOnly, new ArrayType(module.TypeSystem.Byte));
            holder.Fields.Add(marks);
            int blocks = 0;
            foreach (MethodDefinition method in Methods(type))
            {
                Mark(method, marks, ref blocks);
            }

            initializer.Body.Instructions.Add(Instruction.Create(OpCodes.Ldc_I4, blocks));
            initializer.Body.Instructions.Add(Instruction.Create(OpCodes.Newarr, module.TypeSystem.Byte));
            initializer.Body.Instructions.Add(Instruction.Create(OpCodes.Stsfld, marks));
        }

        initializer.Body.Instructions.Add(Instruction.Create(OpCodes.Ret));
        module.Types.Add(holder);
        MemoryStream assembly = new();
        MemoryStream symbols = new();
        module.Write(assembly, new WriterParameters { SymbolWriterProvider = new PortablePdbWriterProvider(), SymbolStream = symbols });
        assembly.Position = 0;
        symbols.Position = 0;
        return (assembly, symbols);
    }

    /// <summary>The blocks of a type in the order of its marks: the file, the method, and the line in which the block begins.</summary>
    /// <param name="path">The assembly before it was rewritten.</param>
    /// <param name="type">The type's full name.</param>
    public static IReadOnlyList<(string File, string Method, int Line)> Describe(string path, string type)
    {
        using ModuleDefinition module = Open(path);
        return [.. Methods(module.GetType(type)).SelectMany(method => Starts(method)
            .Select(start => PointOf(method, start)!)
            .Select(point => (Path.GetFileName(point.Document.Url), NameOf(method), point.StartLine)))];
    }

    private static ModuleDefinition Open(string path)
    {
        DefaultAssemblyResolver resolver = new();
        resolver.AddSearchDirectory(Path.GetDirectoryName(path));
        return ModuleDefinition.ReadModule(path, new ReaderParameters { ReadSymbols = true, AssemblyResolver = resolver });
    }

    // Without static constructors, which run once, and without what the compiler adds, except for lambdas and local functions.
    private static IEnumerable<MethodDefinition> Methods(TypeDefinition type) => type.Methods
        .Where(method => method is { HasBody: true } and not { IsConstructor: true, IsStatic: true }
            && (method.Name.StartsWith('<') || !method.CustomAttributes.Any(attribute => attribute.AttributeType.Name == "CompilerGeneratedAttribute")))
        .Concat(type.NestedTypes.SelectMany(Methods));

    private static void Mark(MethodDefinition method, FieldReference marks, ref int block)
    {
        MethodBody body = method.Body;
        List<Instruction> starts = Starts(method);
        body.SimplifyMacros();
        ILProcessor il = body.GetILProcessor();
        Dictionary<Instruction, Instruction> moved = [];
        foreach (Instruction start in starts)
        {
            Instruction first = il.Create(OpCodes.Ldsfld, marks);
            il.InsertBefore(start, first);
            il.InsertBefore(start, il.Create(OpCodes.Ldc_I4, block++));
            il.InsertBefore(start, il.Create(OpCodes.Ldc_I4_1));
            il.InsertBefore(start, il.Create(OpCodes.Stelem_I1));
            moved.Add(start, first);
        }

        foreach (Instruction instruction in body.Instructions)
        {
            if (instruction.Operand is Instruction target)
            {
                instruction.Operand = Move(target);
            }
            else if (instruction.Operand is Instruction[] targets)
            {
                instruction.Operand = Array.ConvertAll(targets, Move);
            }
        }

        foreach (ExceptionHandler handler in body.ExceptionHandlers)
        {
            handler.TryStart = Move(handler.TryStart);
            handler.TryEnd = Move(handler.TryEnd);
            handler.FilterStart = Move(handler.FilterStart);
            handler.HandlerStart = Move(handler.HandlerStart);
            handler.HandlerEnd = Move(handler.HandlerEnd);
        }

        body.OptimizeMacros();

        // Null for a filter that a handler does not have, and for the end of the method.
        Instruction Move(Instruction? target) => target is null ? null! : moved.GetValueOrDefault(target, target);
    }

    // The first instruction, the targets of branches, what follows a branch that may not be taken, and the starts of handlers; but only those
    // that belong to a line, not what the compiler adds around an await or a using.
    private static List<Instruction> Starts(MethodDefinition method)
    {
        MethodBody body = method.Body;
        HashSet<Instruction?> starts = [body.Instructions[0], .. body.ExceptionHandlers.SelectMany(handler => new[] { handler.FilterStart, handler.HandlerStart })];
        foreach (Instruction instruction in body.Instructions)
        {
            starts.Add(instruction.Operand as Instruction);
            starts.UnionWith(instruction.Operand as Instruction[] ?? []);
            if (instruction.OpCode.FlowControl == FlowControl.Cond_Branch)
            {
                starts.Add(instruction.Next);
            }
        }

        return [.. body.Instructions.Where(instruction => starts.Contains(instruction) && PointOf(method, instruction) is { IsHidden: false })];
    }

    // A lambda, a local function and an async method's state machine have the name of their method between < and >.
    private static string NameOf(MethodDefinition method) => Inner().Match($"{method.DeclaringType.Name}.{method.Name}") is { Success: true } inner ? inner.Groups[1].Value : method.Name;

    private static SequencePoint? PointOf(MethodDefinition method, Instruction instruction) =>
        method.DebugInformation.SequencePoints.LastOrDefault(point => point.Offset <= instruction.Offset);

    [GeneratedRegex("<([^<>]+)>")]
    private static partial Regex Inner();
}
