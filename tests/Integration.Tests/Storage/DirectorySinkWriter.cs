using System.Diagnostics.CodeAnalysis;
using System.Runtime.CompilerServices;
using System.Text;
using Integration.Tests.Processes;
using Messaging.Sinks;
using Messaging.Storage;
using Microsoft.Extensions.Logging.Abstractions;

namespace Integration.Tests.Storage;

/// <summary>
/// A process that stores objects until it is killed and reports each result: this test program started with other
/// arguments, so that no other program is needed. One thread, because a module initializer blocks all others.
/// </summary>
internal static class DirectorySinkWriter
{
    private const string Command = "directory-sink-writer";

    // Writing this many bytes takes long enough that many kills interrupt a write.
    private const int LargestObject = 1 << 20;

    private static readonly byte[] Pattern = CreatePattern();

    public static string KeyOf(int number) => $"o/{number % 40}/{number}";

    public static byte[] BodyOf(int number) =>
        Pattern.AsSpan((int)(number * 7_919L % LargestObject), (int)(number * 104_729L % LargestObject)).ToArray();

    /// <param name="folder">The sink's folder.</param>
    /// <param name="first">The number to begin with.</param>
    /// <param name="exhaust">Opens every file descriptor the process may have before the first object, and closes them after it.</param>
    /// <param name="before">A program with arguments that starts the process; may be empty.</param>
    public static CapturedProcess Start(string folder, int first, bool exhaust = false, params string[] before)
    {
        string[] command =
        [
            .. before,
            Environment.ProcessPath is { } path && Path.GetFileNameWithoutExtension(path) == "dotnet" ? path : "dotnet",
            typeof(DirectorySinkWriter).Assembly.Location,
            Command,
            folder,
            first.ToString(),
            exhaust.ToString(),
        ];
        return CapturedProcess.Start(command[0], command[1..]);
    }

    [ModuleInitializer]
    [SuppressMessage("Usage", "CA2255", Justification = "Runs instead of the tests, before the runner sees arguments that are not its own.")]
    internal static void RunInsteadOfTests()
    {
        string[] arguments = Environment.GetCommandLineArgs();
        if (arguments.Length == 5 && arguments[1] == Command)
        {
            Write(arguments[2], int.Parse(arguments[3]), bool.Parse(arguments[4]));
            Environment.Exit(0);
        }
    }

    private static void Write(string folder, int first, bool exhaust)
    {
        // Without fsync, which protects from power failures only, nearly all the time goes into writing and renaming.
        DirectorySink sink = new(new DirectorySinkOptions { Path = folder, Fsync = false }, new SinkServices(null!, NullLoggerFactory.Instance, TimeProvider.System));
        sink.CheckAsync(CancellationToken.None).GetAwaiter().GetResult();
        if (exhaust)
        {
            // One store first, so that all assemblies are loaded while descriptors are free.
            Store(sink, first++);
            Stack<FileStream> taken = TakeAll();
            SinkResult result = sink.StoreAsync(Encoding.UTF8.GetBytes(KeyOf(first)), BodyOf(first), CancellationToken.None).AsTask().GetAwaiter().GetResult();
            while (taken.TryPop(out FileStream? file))
            {
                file.Dispose();
            }

            Console.Out.WriteLine($"{result.Status} {first} {result.Detail}");
        }

        while (true)
        {
            Store(sink, first++);
        }
    }

    private static void Store(DirectorySink sink, int number)
    {
        SinkResult result = sink.StoreAsync(Encoding.UTF8.GetBytes(KeyOf(number)), BodyOf(number), CancellationToken.None).AsTask().GetAwaiter().GetResult();
        Console.Out.WriteLine($"{result.Status} {number} {result.Detail}");
    }

    private static Stack<FileStream> TakeAll()
    {
        Stack<FileStream> taken = new();
        try
        {
            while (true)
            {
                taken.Push(new FileStream("/dev/null", FileMode.Open, FileAccess.Read, FileShare.ReadWrite, bufferSize: 0));
            }
        }
        catch (IOException)
        {
            return taken;
        }
    }

    private static byte[] CreatePattern()
    {
        byte[] pattern = new byte[2 * LargestObject];
        new Random(20261121).NextBytes(pattern);
        return pattern;
    }
}
