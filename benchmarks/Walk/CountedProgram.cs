using Mono.Cecil;
using Mono.Cecil.Cil;
using Mono.Cecil.Rocks;

namespace Benchmarks.Walk;

/// <summary>
/// A copy of this program in a temporary folder. In it the product's assemblies count each method that begins, each lock that is entered,
/// each interlocked operation, each work item and each suspension. Only the product's own code counts, not the framework's.
/// Disposing deletes the folder.
/// </summary>
internal sealed class CountedProgram : IDisposable
{
    private readonly DirectoryInfo _folder = Directory.CreateTempSubdirectory("walk-");
    private readonly Dictionary<CountedSite, int> _sites = [];

    public CountedProgram()
    {
        foreach (string file in Directory.EnumerateFiles(ProductCode.Folder).Where(file => Path.GetExtension(file) is ".dll" or ".json"))
        {
            string copy = Path.Combine(_folder.FullName, Path.GetFileName(file));
            if (ProductCode.IsOwn(file))
            {
                Rewrite(file, copy);
            }
            else
            {
                File.Copy(file, copy);
            }
        }
    }

    public FileInfo Program => new(Path.Combine(_folder.FullName, Path.GetFileName(typeof(CountedProgram).Assembly.Location)));

    /// <summary>The sites in the order of their counters.</summary>
    public IReadOnlyList<CountedSite> Sites => [.. _sites.OrderBy(site => site.Value).Select(site => site.Key)];

    public void Dispose() => _folder.Delete(recursive: true);

    private void Rewrite(string file, string copy)
    {
        using AssemblyDefinition assembly = ProductCode.Read(file);
        MethodReference add = assembly.MainModule.ImportReference(typeof(WalkCounters).GetMethod(nameof(WalkCounters.Add)));
        foreach (MethodDefinition method in assembly.MainModule.GetTypes().SelectMany(type => type.Methods).Where(method => method.HasBody))
        {
            Rewrite(method, add);
        }

        assembly.Write(copy);
    }

    private void Rewrite(MethodDefinition method, MethodReference add)
    {
        // Long branches: the added calls may move a target out of a short branch's reach.
        method.Body.SimplifyMacros();
        ILProcessor code = method.Body.GetILProcessor();
        foreach (Instruction called in method.Body.Instructions.ToArray())
        {
            if (KindOf(method, called) is { } kind)
            {
                // After the call: a branch that leads to the call would skip what stands before it.
                Instruction counter = code.Create(OpCodes.Ldc_I4, SiteOf(method, kind));
                code.InsertAfter(called, counter);
                code.InsertAfter(counter, code.Create(OpCodes.Call, add));
            }
        }

        Instruction first = method.Body.Instructions[0];
        code.InsertBefore(first, code.Create(OpCodes.Ldc_I4, SiteOf(method, SiteKind.Call)));
        code.InsertBefore(first, code.Create(OpCodes.Call, add));
        method.Body.OptimizeMacros();
    }

    private int SiteOf(MethodDefinition method, SiteKind kind)
    {
        CountedSite site = new(ProductCode.NameOf(method.DeclaringType), ProductCode.NameOf(method), kind);
        if (!_sites.TryGetValue(site, out int index))
        {
            index = _sites.Count;
            if (index == WalkCounters.Capacity)
            {
                throw new InvalidOperationException($"The product has more than {WalkCounters.Capacity} sites; raise {nameof(WalkCounters)}.{nameof(WalkCounters.Capacity)}.");
            }

            _sites.Add(site, index);
        }

        return index;
    }

    private static SiteKind? KindOf(MethodDefinition method, Instruction instruction)
    {
        if (instruction.OpCode.Code is not (Code.Call or Code.Callvirt) || instruction.Operand is not MethodReference called)
        {
            return null;
        }

        string type = called.DeclaringType.GetElementType().FullName.Split('`')[0];
        return (type, called.Name) switch
        {
            ("System.Threading.Lock", "EnterScope" or "Enter" or "TryEnter") => SiteKind.Lock,
            ("System.Threading.Monitor" or "System.Threading.SpinLock", "Enter" or "TryEnter") => SiteKind.Lock,
            ("System.Threading.Interlocked", _) => SiteKind.Interlocked,
            ("System.Threading.ThreadPool", "QueueUserWorkItem" or "UnsafeQueueUserWorkItem") => SiteKind.WorkItem,
            ("System.Threading.Tasks.Task", "Run") or ("System.Threading.Tasks.TaskFactory", "StartNew") => SiteKind.WorkItem,

            // The compiler's code calls its builder; a frame written by hand registers itself. A builder of our own does either on behalf of
            // a method that is counted already.
            (_, "AwaitUnsafeOnCompleted" or "AwaitOnCompleted" or "UnsafeOnCompleted") when !IsBuilder(ProductCode.NameOf(method.DeclaringType)) => SiteKind.Suspension,
            _ => null,
        };
    }

    private static bool IsBuilder(string type) => type.EndsWith("MethodBuilder", StringComparison.Ordinal);
}
