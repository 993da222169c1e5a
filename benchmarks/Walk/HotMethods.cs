using System.Diagnostics.Tracing;
using System.Reflection;
using System.Reflection.Metadata;
using System.Reflection.Metadata.Ecma335;

namespace Benchmarks.Walk;

/// <summary>
/// The methods of this repository that the runtime found to be called often: it compiles a method a second time after 30 calls. So these
/// are the ones that each message, or each call for several messages, goes through.
/// </summary>
internal sealed class HotMethods : EventListener
{
    private const string Provider = "Microsoft-Windows-DotNETRuntime";
    private const EventKeywords JitKeyword = (EventKeywords)0x10;

    // Of MethodLoadVerbose's flags: https://learn.microsoft.com/dotnet/framework/performance/method-etw-events
    private const int TierShift = 7;
    private const uint TierMask = 7;
    private const uint Tier1 = 4;

    private static readonly string[] Own = ["Messaging", "Pipeline", "Worker"];

    private readonly Lock _lock = new();
    private readonly HashSet<(string Type, int Token)> _found = [];

    public HotMethods()
    {
        foreach (EventSource source in EventSource.GetSources().Where(source => source.Name == Provider))
        {
            EnableEvents(source, EventLevel.Verbose, JitKeyword);
        }
    }

    /// <summary>The methods, each with its type and the file of its source.</summary>
    public IReadOnlyList<HotMethod> Read()
    {
        (string Type, int Token)[] found;
        lock (_lock)
        {
            found = [.. _found];
        }

        Dictionary<Assembly, MetadataReader> symbols = [];
        List<HotMethod> methods = [];
        foreach ((string name, int token) in found)
        {
            // The runtime writes Outer+Inner`1[Argument]; the token is that of the definition.
            int arguments = name.IndexOf('[', StringComparison.Ordinal);
            string definition = arguments < 0 ? name : name[..arguments];
            if (AppDomain.CurrentDomain.GetAssemblies().Where(IsOwn).Select(assembly => assembly.GetType(definition)).FirstOrDefault(type => type is not null) is not { } type)
            {
                continue;
            }

            MethodBase method = type.Module.ResolveMethod(token, type.GetGenericArguments(), null)!;
            if (!symbols.TryGetValue(type.Assembly, out MetadataReader? reader))
            {
                symbols[type.Assembly] = reader = SymbolsOf(type.Assembly);
            }

            MethodDebugInformation debug = reader.GetMethodDebugInformation((MethodDefinitionHandle)MetadataTokens.Handle(token));
            if (!debug.Document.IsNil)
            {
                methods.Add(new HotMethod(Written(type).FullName!, method.Name, reader.GetString(reader.GetDocument(debug.Document).Name), CountLocks(method)));
            }
        }

        return methods;
    }

    protected override void OnEventWritten(EventWrittenEventArgs eventData)
    {
        if (eventData.EventName?.StartsWith("MethodLoadVerbose", StringComparison.Ordinal) != true)
        {
            return;
        }

        string name = (string)Value(eventData, "MethodNamespace");
        if (((Convert.ToUInt32(Value(eventData, "MethodFlags"), null) >> TierShift) & TierMask) == Tier1 && Own.Any(own => name.StartsWith(own, StringComparison.Ordinal)))
        {
            lock (_lock)
            {
                _found.Add((name, Convert.ToInt32(Value(eventData, "MethodToken"), null)));
            }
        }
    }

    private static object Value(EventWrittenEventArgs eventData, string name) => eventData.Payload![eventData.PayloadNames!.IndexOf(name)]!;

    private static bool IsOwn(Assembly assembly) => Own.Any(own => assembly.GetName().Name!.StartsWith(own, StringComparison.Ordinal));

    /// <summary>The type as written: a state machine or closure belongs to the type around it.</summary>
    private static Type Written(Type type)
    {
        while (type.Name.StartsWith('<') && type.DeclaringType is { } outer)
        {
            type = outer;
        }

        return type;
    }

    private static MetadataReader SymbolsOf(Assembly assembly) =>
        MetadataReaderProvider.FromPortablePdbStream(File.OpenRead(Path.ChangeExtension(assembly.Location, ".pdb"))).GetMetadataReader();

    /// <summary>The calls of its code that enter a lock.</summary>
    private static int CountLocks(MethodBase method)
    {
        const byte Call = 0x28;
        const byte CallVirtual = 0x6F;
        byte[] code = method.GetMethodBody()?.GetILAsByteArray() ?? [];
        int locks = 0;
        for (int i = 0; i + 4 < code.Length; i++)
        {
            if (code[i] is Call or CallVirtual && TryResolve(method, BitConverter.ToInt32(code, i + 1)) is { } called
                && ((called.DeclaringType == typeof(Lock) && called.Name is "EnterScope" or "Enter" or "TryEnter") || (called.DeclaringType == typeof(Monitor) && called.Name is "Enter" or "TryEnter")))
            {
                locks++;
            }
        }

        return locks;
    }

    // A byte that only looks like a call is followed by no method's token.
    private static MethodBase? TryResolve(MethodBase method, int token)
    {
        if ((token >> 24) is not (0x06 or 0x0A or 0x2B))
        {
            return null;
        }

        try
        {
            return method.Module.ResolveMethod(token, method.DeclaringType?.GetGenericArguments(), method.IsGenericMethod ? method.GetGenericArguments() : null);
        }
        catch (Exception exception) when (exception is ArgumentException or BadImageFormatException)
        {
            return null;
        }
    }
}

/// <summary>A method on the way.</summary>
/// <param name="Type">The type that declares it.</param>
/// <param name="Name">Its name.</param>
/// <param name="File">The file of its source.</param>
/// <param name="Locks">Calls in it that enter a lock.</param>
internal sealed record HotMethod(string Type, string Name, string File, int Locks);
