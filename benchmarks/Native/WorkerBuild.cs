using System.Text.Json;
using Microsoft.AspNetCore.Builder;

namespace Benchmarks.Native;

/// <summary>A build of the daemon.</summary>
/// <param name="Name">For the table.</param>
/// <param name="Command">The program and its first arguments.</param>
/// <param name="Bytes">The size of everything that a machine needs to run it.</param>
internal sealed record WorkerBuild(string Name, IReadOnlyList<string> Command, long Bytes)
{
    /// <summary>The build beside this program, which runs on the shared framework.</summary>
    public static WorkerBuild Jit()
    {
        string worker = Path.Combine(AppContext.BaseDirectory, "Worker.dll");
        long bytes = new FileInfo(worker).Length + Assemblies(Path.ChangeExtension(worker, ".deps.json")).Sum(file => file.Length)
            + Frameworks().Sum(file => file.Length);
        return new WorkerBuild("JIT", [System.Environment.GetEnvironmentVariable("DOTNET_HOST_PATH") ?? "dotnet", worker], bytes);
    }

    /// <exception cref="InvalidOperationException">There is no such file.</exception>
    public static WorkerBuild Native(FileInfo program) => program.Exists
        ? new WorkerBuild("native", [program.FullName], program.Length)
        : throw new InvalidOperationException(
            $"{program.FullName} does not exist. Make it with: dotnet publish src/Worker -c Release -p:Native=true -o src/Worker/bin/native");

    /// <summary>What the worker brings itself; this program's folder has other assemblies too.</summary>
    private static IEnumerable<FileInfo> Assemblies(string dependencies)
    {
        using JsonDocument document = JsonDocument.Parse(File.ReadAllBytes(dependencies));
        foreach (JsonProperty library in document.RootElement.GetProperty("targets").EnumerateObject().Single().Value.EnumerateObject())
        {
            if (library.Value.TryGetProperty("runtime", out JsonElement files))
            {
                foreach (JsonProperty file in files.EnumerateObject())
                {
                    FileInfo assembly = new(Path.Combine(AppContext.BaseDirectory, Path.GetFileName(file.Name)));
                    if (assembly.Exists)
                    {
                        yield return assembly;
                    }
                }
            }
        }
    }

    private static IEnumerable<FileInfo> Frameworks() =>
        new[] { typeof(object).Assembly.Location, typeof(WebApplication).Assembly.Location }
            .SelectMany(assembly => new DirectoryInfo(Path.GetDirectoryName(assembly)!).EnumerateFiles());
}
