using System.Diagnostics;
using Benchmarks.Aws.Wire;
using Benchmarks.EndToEnd.Clients;

namespace Benchmarks.Native;

/// <summary>A process of the daemon that archives from a queue to S3. Disposing kills it.</summary>
internal sealed class WorkerRun : IDisposable
{
    private readonly Process _process;
    private readonly string _folder = Directory.CreateTempSubdirectory("native-").FullName;

    public WorkerRun(WorkerBuild build, Uri endpoint, string queue)
    {
        string[] settings =
        [
            "--Routes:archive:Source=Sqs",
            "--Routes:archive:Sink=S3",
            "--Hosting:Url=http://127.0.0.1:0",
            $"--Sources:Sqs:Queue={new Uri(endpoint, $"/000000000000/{queue}")}",
            $"--Sources:Sqs:DeadLetterQueue={new Uri(endpoint, "/000000000000/dead-letters")}",
            $"--Sources:Sqs:VisibilityTimeout={ClientSettings.VisibilitySeconds}s",
            $"--Aws:Endpoint={endpoint}",
            $"--Aws:Region={WireAccount.Region}",
            $"--Aws:AccessKeyId={WireAccount.AccessKey}",
            $"--Aws:SecretAccessKey={WireAccount.SecretKey}",
            $"--Sinks:S3:Bucket={ClientSettings.Bucket}",
            "--Logging:LogLevel:Default=Warning",
        ];
        ProcessStartInfo start = new(build.Command[0], [.. build.Command.Skip(1), .. settings])
        {
            WorkingDirectory = _folder,
            RedirectStandardOutput = true,
            UseShellExecute = false,
        };
        _process = Process.Start(start)!;
        // The log is not read; a pipe that fills would stop the worker.
        _process.OutputDataReceived += static (_, _) => { };
        _process.BeginOutputReadLine();
    }

    public bool HasExited => _process.HasExited;

    /// <summary>Processor time so far, user and kernel.</summary>
    public TimeSpan ProcessorTime
    {
        get
        {
            _process.Refresh();
            return _process.TotalProcessorTime;
        }
    }

    public ProcessMemory Memory => ProcessMemory.Of(_process.Id);

    public void Dispose()
    {
        if (!_process.HasExited)
        {
            _process.Kill();
        }

        _process.WaitForExit();
        _process.Dispose();
        Directory.Delete(_folder, recursive: true);
    }
}
